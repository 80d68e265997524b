'use strict';

const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { cacheFolder, packageRoot } = require('./root.js');

const POLL_MS = 200;
/** A lock is whole from its first moment and is broken in microseconds: what is neither at this age was left by a crash. */
const LEFTOVER_AGE_MS = 10_000;

/**
 * Runs `work` while no other process of this machine runs under the same name. A lock whose owner is gone is taken
 * over, so a set-up that was killed blocks nobody.
 *
 * @template T
 * @param {string} name
 * @param {(reason: string) => void} say hears once that it waits, and for whom
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function withLock(name, say, work) {
  const file = path.join(cacheFolder(), 'locks', `${name}.lock`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  let told = false;
  while (!take(file)) {
    const owner = readOwner(file);
    if (!owner) removeIfOld(file);
    if (owner && !isAlive(owner)) breakLock(file);
    else {
      if (!told) say(`waits for another set-up (process ${owner?.pid ?? 'unknown'})`);
      told = true;
      await sleep(POLL_MS);
    }
  }
  try {
    return await work();
  } finally {
    fs.rmSync(file, { force: true });
  }
}

/**
 * Makes the lock file with its content in one step: a link appears whole or not at all.
 *
 * @param {string} file
 * @returns {boolean}
 */
function take(file) {
  const draft = `${file}.${process.pid}`;
  fs.writeFileSync(draft, JSON.stringify({ pid: process.pid, started: startOf(process.pid) }));
  try {
    fs.linkSync(draft, file);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    return false;
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

/**
 * Removes a lock without an owner. Only one process at a time may look and remove, or one would remove the fresh
 * lock of another.
 *
 * @param {string} file
 */
function breakLock(file) {
  const breaker = `${file}.breaking`;
  try {
    fs.closeSync(fs.openSync(breaker, 'wx'));
  } catch {
    removeIfOld(breaker);
    return;
  }
  const owner = readOwner(file);
  if (owner && !isAlive(owner)) fs.rmSync(file, { force: true });
  fs.rmSync(breaker, { force: true });
}

/** @param {string} file */
function removeIfOld(file) {
  const age = Date.now() - (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  if (age > LEFTOVER_AGE_MS) fs.rmSync(file, { force: true });
}

/**
 * @param {string} file
 * @returns {{pid: number, started: string} | undefined}
 */
function readOwner(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * @param {{pid: number, started: string}} owner
 * @returns {boolean}
 */
function isAlive(owner) {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
  return startOf(owner.pid) === owner.started;
}

/**
 * What tells a process from a later one with the same number: its start time on Linux, nothing elsewhere.
 *
 * @param {number} pid
 * @returns {string}
 */
function startOf(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

/**
 * The name of a lock that holds for this checkout only: others on the machine go their own way.
 *
 * @param {string} name
 * @returns {string}
 */
function checkoutLock(name) {
  return `${name}-${crypto.createHash('sha256').update(packageRoot()).digest('hex').slice(0, 12)}`;
}

module.exports = { withLock, checkoutLock };
