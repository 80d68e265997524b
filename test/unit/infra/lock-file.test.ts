import lock from '../../../package-lock.json';

type Package = { version?: string; optionalDependencies?: Record<string, string> };
const packages = lock.packages as Record<string, Package>;

/** npm leaves out of a lock file what it could not reach when it wrote it, and `npm ci` then refuses the whole file. */
test('the lock file names the optional packages of every platform', () => {
  const missing = Object.entries(packages).flatMap(([owner, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !packages[`node_modules/${name}`] && !packages[`${owner}/node_modules/${name}`],
    ),
  );
  expect(missing).toEqual([]);
});
