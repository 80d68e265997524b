const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** `350 ms`, `12s`, `3m 4s`, `2h 5m`, `3d 4h`: the two largest units of a time in ms. */
export function formatAge(ms: number): string {
  const first = UNITS.findIndex(([, size]) => ms >= size);
  if (first === -1) return `${Math.round(ms)} ms`;
  const parts = UNITS.slice(first, first + 2).map(([unit, size], at) => {
    const outer = at === 0 ? Infinity : (UNITS[first]?.[1] ?? Infinity);
    return [Math.floor((ms % outer) / size), unit] as const;
  });
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join(' ');
}
