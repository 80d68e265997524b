/** A source of bounded choices whose runs can be repeated from their seed. */
export interface Fuzz {
  readonly seed: number;
  /** A whole number from 0 to below `below`. */
  readonly random: (below: number) => number;
  readonly pick: <T>(choices: readonly T[]) => T;
}

/** A seed of its own a run, told on stdout; HOURGLASS_FUZZ_SEED repeats one. */
export function startFuzz(name: string): Fuzz {
  const seed = Number(process.env['HOURGLASS_FUZZ_SEED'] ?? Date.now() % 0x7fffffff);
  process.stdout.write(`seed of the ${name} fuzzer: ${seed} (HOURGLASS_FUZZ_SEED repeats it)\n`);
  const random = mulberry32(seed);
  const pick = <T>(choices: readonly T[]): T => {
    const choice = choices[random(choices.length)];
    if (choice === undefined && choices.length === 0) throw new RangeError('nothing to choose from');
    return choice as T;
  };
  return { seed, random, pick };
}

/** A small generator; good enough to choose, and the same everywhere. */
function mulberry32(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below);
  };
}
