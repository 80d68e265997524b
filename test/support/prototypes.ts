const BUILT_IN = { Object, Array, Function, String, Number, Boolean, Symbol, Promise, RegExp, Date, Map, Set, Error };

/** Every property of the prototypes that all objects share, with its value. */
export type PrototypeFacts = ReadonlyMap<string, unknown>;

export function readPrototypes(): PrototypeFacts {
  return new Map(
    Object.entries(BUILT_IN).flatMap(([name, { prototype }]) =>
      Reflect.ownKeys(prototype).map((key): [string, unknown] => {
        const facts: { value?: unknown; get?: unknown } = Object.getOwnPropertyDescriptor(prototype, key) ?? {};
        return [`${name}.prototype.${String(key)}`, facts.value ?? facts.get];
      }),
    ),
  );
}

/** Names of the properties that came, went or changed since. */
export function changedPrototypes(before: PrototypeFacts): string[] {
  const now = readPrototypes();
  const names = new Set([...before.keys(), ...now.keys()]);
  return [...names].filter((name) => before.has(name) !== now.has(name) || before.get(name) !== now.get(name));
}
