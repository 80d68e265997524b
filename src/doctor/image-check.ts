import { failure, pass, warning, type Verdict } from './check';

/** Label in which the build writes the hash of what went into an image. */
const HASH_LABEL = 'io.hourglass.image';
const REMEDY = 'run "hourglass setup"';

/**
 * Whether the image is the one that fits this version.
 *
 * @param labels of the image; undefined where the engine does not have it
 * @param fitting name of the image that set-up builds for this version
 */
export function checkImage(
  image: string,
  labels: Readonly<Record<string, string>> | undefined,
  fitting: string,
): Verdict {
  if (labels === undefined) return failure(`${image} is not on the engine`, REMEDY);
  const expected = fitting.slice(fitting.lastIndexOf(':') + 1);
  const actual = labels[HASH_LABEL];
  if (actual === expected) return pass(`${image}, its hash is right`);
  if (image === fitting)
    return failure(
      `${image} is not what its name says: it was built from ${actual ?? 'something else'}`,
      `remove it from the engine and ${REMEDY}`,
    );
  return warning(
    `${image}, named by CODE_SANDBOX_IMAGE, was built from ${actual ?? 'something else'}, this version is ${expected}`,
    'build it again from the image of this version',
  );
}
