/** The numbers at the beginning of a version: `1.1.5+ds1` is 1, 1, 5. Empty where there are none. */
function numbersOf(version: string): number[] {
  const found = /^v?(\d+(?:\.\d+)*)/.exec(version)?.[1];
  return found === undefined ? [] : found.split('.').map(Number);
}

function compare(left: readonly number[], right: readonly number[]): number {
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Whether a version has what was fixed in several series at once.
 *
 * A floor counts for its own series, which is all of its numbers but the last; versions beyond the last floor have the
 * fix, those of other series do not. Undefined where the version is not one.
 */
export function reaches(version: string, floors: readonly string[]): boolean | undefined {
  const actual = numbersOf(version);
  if (actual.length === 0) return undefined;
  const parsed = floors.map(numbersOf).sort(compare);
  const newest = parsed.at(-1) ?? [];
  if (compare(actual, newest) >= 0) return true;
  return parsed.some((floor) => isSameSeries(actual, floor) && compare(actual, floor) >= 0);
}

function isSameSeries(actual: readonly number[], floor: readonly number[]): boolean {
  const series = floor.slice(0, -1);
  return compare(actual.slice(0, series.length), series) === 0;
}

/** Versions from which on known holes are closed. */
export const FLOORS = {
  /** The engine's calls that we use and their answers are as we know them from here on. */
  engine: ['20.10.0'],
  /** Escapes through masked paths and console mounts (CVE-2025-31133, CVE-2025-52565, CVE-2025-52881). */
  runc: ['1.2.8', '1.3.3', '1.4.0'],
  /** CVE-2026-31431: a hole in AF_ALG with splice, which our system call filter refuses both. */
  kernel: ['6.18.22', '6.19.12', '7.0'],
  node: ['20.20.0', '22.22.0', '24.13.0'],
} as const;
