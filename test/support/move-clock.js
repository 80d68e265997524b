'use strict';

const fs = require('node:fs');

const FILE = process.env['HOURGLASS_TEST_CLOCK'];
const RealDate = Date;
const { now } = Date;
const LOOK_MS = 20;

let offsetMs = 0;

/** Moves the wall clock of this process by the ms that the file says. */
function look() {
  try {
    offsetMs = Number(fs.readFileSync(FILE ?? '', 'utf8'));
  } catch {
    // Nobody has moved it yet.
  }
}

class MovedDate extends RealDate {
  /** @param {any[]} parts */
  constructor(...parts) {
    // @ts-expect-error -- what Date takes
    super(...(parts.length === 0 ? [MovedDate.now()] : parts));
  }

  /** @override */
  static now() {
    return now() + offsetMs;
  }
}

look();
setInterval(look, LOOK_MS).unref();
Object.assign(globalThis, { Date: MovedDate });
