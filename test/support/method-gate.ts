import { once } from 'node:events';

type Method = (...args: unknown[]) => unknown;

/**
 * Holds the first call of an asynchronous method, of whatever object of its kind, until the execution that it belongs to has been told
 * to end; the call is made then.
 */
export class MethodGate {
  readonly #holder: Record<string, Method>;
  readonly #original: Method;
  /** Resolves when a call is held. */
  readonly reached: Promise<void>;

  constructor(
    target: object,
    private readonly method: string,
    which: (...args: never[]) => boolean,
    signal: () => AbortSignal | undefined,
  ) {
    const holder = target as Record<string, Method>;
    const original = holder[method];
    if (original === undefined) throw new Error(`${method} is not there`);
    this.#holder = holder;
    this.#original = original;
    this.reached = new Promise((resolve) => {
      let isOver = false;
      holder[method] = async function (this: unknown, ...args) {
        if (!isOver && which(...(args as never[]))) {
          isOver = true;
          resolve();
          await aborted(signal());
        }
        return original.apply(this, args);
      };
    });
  }

  remove(): void {
    this.#holder[this.method] = this.#original;
  }
}

async function aborted(signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) throw new Error('nobody knows the signal of this execution');
  if (!signal.aborted) await once(signal, 'abort');
}
