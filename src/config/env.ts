/** Names and values as a process is given them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process, copied: the only place that reads it. What changes later is not seen. */
export function readEnvironment(): Environment {
  return { ...process.env };
}
