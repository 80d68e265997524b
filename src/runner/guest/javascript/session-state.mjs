/** A session: its calls, one after the other, and what they share. */
import { rememberForSession, withIntrinsics } from './intrinsics.mjs';
import { serveShortNames } from './module-resolution.mjs';
import { Call } from './session-call.mjs';
import { Places, sayBetweenCalls } from './session-errors.mjs';
import { holdProcess } from './session-process.mjs';
import { Scope } from './session-scope.mjs';
import { openStdin, serveStdin } from './session-stdin.mjs';
import { serveTypeScriptModules } from './typescript-modules.mjs';

const EXTENSIONS = { javascript: 'js', typescript: 'ts' };

export class Session {
  scope;
  places = new Places();
  #call;
  #servesShortNames = false;
  #servesTypeScript = false;

  /** Takes over the process. */
  constructor() {
    rememberForSession();
    this.scope = new Scope();
    serveStdin();
    holdProcess({
      onFatal: (error, exitCode) => this.#onFatal(error, exitCode),
      onIdle: () => this.#call?.onIdle(),
      onExit: () => this.#call?.onExit(),
    });
  }

  /** Runs a call; `onOver(exitCode, report)` is called when it has ended. */
  run(job, onOver) {
    withIntrinsics(() => {
      const { spec, code } = job;
      process.exitCode = undefined;
      openStdin(spec.stdin);
      this.scope.open(EXTENSIONS[spec.language]);
      this.#serveModules(spec.language === 'typescript', code);
      this.#call = new Call(this, job, (exitCode, report) => {
        this.#call = undefined;
        onOver(exitCode, report);
      });
      this.#call.start();
    });
  }

  #serveModules(isTypeScript, code) {
    if (isTypeScript && !this.#servesTypeScript) {
      this.#servesTypeScript = true;
      serveTypeScriptModules();
      serveShortNames({ isTypeScript: true });
    } else if (!isTypeScript && !this.#servesShortNames && code.includes('import')) {
      this.#servesShortNames = true;
      serveShortNames({ isTypeScript: false });
    }
  }

  #onFatal(error, exitCode) {
    if (this.#call !== undefined) this.#call.fail(error, exitCode);
    else withIntrinsics(() => sayBetweenCalls(error, this.places));
  }
}
