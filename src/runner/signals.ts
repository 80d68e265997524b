/** Linux's signals by number, whatever system the worker runs on: programs run on Linux. */
const NAMES: readonly string[] = (
  'HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU ' +
  'XFSZ VTALRM PROF WINCH IO PWR SYS'
)
  .split(' ')
  .map((name) => `SIG${name}`);
const FIRST_REALTIME = 34;

export const SIGKILL = 9;
/** The largest signal number there is. */
export const MAX_SIGNAL = 64;
/** What a signal's number is added to for the exit code of a process that it ended. */
export const SIGNAL_EXIT_BASE = 128;

/** Name of a signal in the sandbox, such as `SIGSEGV`. */
export function signalName(number: number): string {
  return NAMES[number - 1] ?? (number >= FIRST_REALTIME ? `SIGRTMIN+${number - FIRST_REALTIME}` : `signal ${number}`);
}
