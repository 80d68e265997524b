import promises from 'node:fs/promises';
import { Background } from '../../src/execution/background';
import { OutputBatch } from '../../src/execution/output-batch';
import { WarmPool } from '../../src/pool';
import { GuestChannel } from '../../src/runner';
import { ReceivedRun } from '../../src/runner/received';

/** States of an execution in the order in which it goes through them; each names the step that was just done. */
export const POINTS = [
  'leased',
  'half staged',
  'staged',
  'started',
  'output half read',
  'ended',
  'files half collected',
  'files collected',
  'files half published',
  'published',
  'result stored',
  'destroyed',
] as const;

export type Point = (typeof POINTS)[number];

type Method = (...args: unknown[]) => unknown;
/** Says whether a call is the one; may count calls. */
type Which = (...args: never[]) => boolean;

const any: Which = () => true;

/** Calls `hit` before the first call of a method that `which` names. */
function before(target: object, method: string, which: Which, hit: () => void): void {
  wrap(target, method, (original, args) => {
    if (which(...(args as never[]))) hit();
    return original(...args);
  });
}

/** Calls `hit` after the first call of a method that `which` names; when its promise has resolved, where it is one. */
function after(target: object, method: string, which: Which, hit: () => void): void {
  wrap(target, method, (original, args) => {
    const value = original(...args);
    if (!which(...(args as never[]))) return value;
    if (value instanceof Promise) return value.then((settled: unknown) => (hit(), settled));
    hit();
    return value;
  });
}

/** Calls `call` in the place of a method, for whatever object of its kind. */
export function wrap(target: object, method: string, call: (original: Method, args: unknown[]) => unknown): void {
  const holder = target as Record<string, Method>;
  const original = holder[method];
  if (original === undefined) throw new Error(`${method} is not there`);
  holder[method] = function (this: unknown, ...args) {
    return call(original.bind(this), args);
  };
}

const sends = (type: string) => (sent: string) => sent === type;
const says = (type: string) => (frame: { type: string }) => frame.type === type;

function nth(count: number): Which {
  let calls = 0;
  return () => (calls += 1) === count;
}

/** The folder of the batch, then the first of the files: the second is not there yet. */
function half(hit: () => void): void {
  before(OutputBatch.prototype, 'commit', any, () => before(promises, 'rename', nth(3), hit));
}

const ARM: Readonly<Record<Point, (hit: () => void) => void>> = {
  leased: (hit) => before(GuestChannel.prototype, 'send', sends('RUN'), hit),
  'half staged': (hit) => before(GuestChannel.prototype, 'send', sends('FILE_DATA'), hit),
  staged: (hit) => before(GuestChannel.prototype, 'send', sends('START'), hit),
  started: (hit) => after(ReceivedRun.prototype, 'accept', says('STARTED'), hit),
  'output half read': (hit) => after(ReceivedRun.prototype, 'accept', says('OUTPUT'), hit),
  ended: (hit) => after(ReceivedRun.prototype, 'accept', says('END'), hit),
  'files half collected': (hit) => after(OutputBatch.prototype, 'add', any, hit),
  'files collected': (hit) => before(OutputBatch.prototype, 'commit', any, hit),
  'files half published': half,
  published: (hit) => after(OutputBatch.prototype, 'commit', any, hit),
  'result stored': (hit) => before(Background.prototype, 'add', any, hit),
  destroyed: (hit) => after(WarmPool.prototype, 'recycle', any, hit),
};

/** Calls `hit` when an execution of this process comes to the point. */
export function arm(point: Point, hit: () => void): void {
  ARM[point](hit);
}
