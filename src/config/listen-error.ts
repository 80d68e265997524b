import { ConfigError } from './errors';

const IN_USE = 'something listens there already: choose another port, or stop what holds it';
const ELSEWHERE = 'it is not an address of this machine';
const DENIED = 'this user may not listen there: choose a port from 1024';

/** As Node and as Temporal's native runtime say it. */
const REASONS: readonly [said: RegExp, means: string][] = [
  [/EADDRINUSE|address already in use/i, IN_USE],
  [/EADDRNOTAVAIL|cannot assign requested address|can't assign requested address/i, ELSEWHERE],
  [/EACCES|permission denied/i, DENIED],
];

/** What a worker says that cannot listen at the address of this variable. */
export function listenError(name: string, address: string, cause: unknown): ConfigError {
  const said = cause instanceof Error ? cause.message : String(cause);
  const reason = REASONS.find(([pattern]) => pattern.test(said))?.[1] ?? said;
  return new ConfigError([{ name, value: JSON.stringify(address), rule: `cannot be listened at: ${reason}` }]);
}
