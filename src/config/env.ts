/** Names and values as a process is given them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process, copied: the only place that reads it. What changes later is not seen. */
export function readEnvironment(): Environment {
  return { ...process.env };
}

/** Sets variables of this process that have no value yet, for parts that read the environment by themselves. */
export function fillEnvironment(values: Environment): void {
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) process.env[name] ||= value;
  }
}
