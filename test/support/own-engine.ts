import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import * as http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sandboxImageTag } from '../../infra/setup/index.js';
import { resolveEndpoint } from '../../src/engine/container/endpoint';
import { eventually } from './eventually';

/** A Docker engine of a test's own beside the machine's, with the sandbox image: what is done to it is nobody else's harm. */
export class OwnEngine {
  readonly #dir = mkdtempSync(join(tmpdir(), 'hg-engine-'));
  #process: ChildProcess | undefined;

  private constructor(liveRestore: boolean) {
    writeFileSync(join(this.#dir, 'daemon.json'), JSON.stringify({ 'live-restore': liveRestore }));
  }

  /** Requires: root on Linux, and `dockerd` on this machine. */
  static async open(liveRestore: boolean): Promise<OwnEngine> {
    const engine = new OwnEngine(liveRestore);
    await engine.start();
    await engine.#loadImage();
    return engine;
  }

  get dockerHost(): string {
    return `unix://${this.#socket}`;
  }

  get #socket(): string {
    return join(this.#dir, 'docker.sock');
  }

  async start(): Promise<void> {
    const places = { 'config-file': 'daemon.json', 'data-root': 'data', 'exec-root': 'exec', pidfile: 'docker.pid' };
    const options = Object.entries(places).map(([name, place]) => `--${name}=${join(this.#dir, place)}`);
    const network = ['--bridge=none', '--iptables=false', '--ip-forward=false'];
    // An engine without a bridge removes that of any other one: in networks of its own it finds none.
    const command = ['--net', 'dockerd', `--host=${this.dockerHost}`, ...options, ...network];
    this.#process = spawn('unshare', command, { stdio: 'ignore' });
    await eventually(
      () => this.#answers(),
      (answers) => answers,
    );
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const { exitCode, signalCode } = this.#process ?? {};
    if (this.#process === undefined || exitCode !== null || signalCode !== null) return;
    const exit = once(this.#process, 'exit');
    this.#process.kill(signal);
    await exit;
  }

  /** Ends the engine with all its containers, and removes what it has on the disk. */
  async close(): Promise<void> {
    for (const { Id } of await this.#containers()) await this.#request('DELETE', `/containers/${Id}?force=true`);
    await this.stop();
    // The engine mounts its own folder, and leaves it mounted where containers are to outlive it.
    spawnSync('umount', ['--lazy', join(this.#dir, 'data')]);
    rmSync(this.#dir, { recursive: true, force: true });
  }

  async #containers(): Promise<{ Id: string }[]> {
    const response = await this.#request('GET', '/containers/json?all=true');
    let text = '';
    for await (const chunk of response) text += String(chunk);
    return JSON.parse(text) as { Id: string }[];
  }

  async #answers(): Promise<boolean> {
    try {
      const { statusCode } = await this.#request('GET', '/_ping');
      return statusCode === 200;
    } catch {
      return false;
    }
  }

  async #loadImage(): Promise<void> {
    const name = encodeURIComponent(sandboxImageTag());
    const endpoint = resolveEndpoint(process.env['DOCKER_HOST']);
    const saved = await answered(http.request({ ...endpoint, protocol: 'http:', path: `/images/${name}/get` }).end());
    const load = http.request({ socketPath: this.#socket, method: 'POST', path: '/images/load?quiet=1' });
    const loaded = answered(load);
    await pipeline(saved, load);
    const response = await loaded;
    if (response.statusCode !== 200) throw new Error(`the image could not be loaded: ${response.statusCode}`);
    await new Promise((resolve) => response.resume().once('end', resolve));
  }

  #request(method: string, path: string): Promise<http.IncomingMessage> {
    return answered(http.request({ socketPath: this.#socket, method, path }).end());
  }
}

function answered(request: http.ClientRequest): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => request.once('response', resolve).once('error', reject));
}
