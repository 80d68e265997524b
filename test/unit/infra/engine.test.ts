import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { candidates, connectionOptions } from '../../../infra/setup/engine/endpoint.js';
import { ageWarning } from '../../../infra/setup/engine/find.js';

describe('where an engine may be', () => {
  let home: string;
  beforeEach(() => {
    home = fs.mkdtempSync(path.join(os.tmpdir(), 'hourglass-unit-'));
  });
  afterEach(() => fs.rmSync(home, { recursive: true }));

  const writeContext = (name: string, host: string): void => {
    const id = crypto.createHash('sha256').update(name).digest('hex');
    const folder = path.join(home, '.docker/contexts/meta', id);
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'meta.json'), JSON.stringify({ Endpoints: { docker: { Host: host } } }));
  };

  test('DOCKER_HOST rules out every other', () => {
    expect(candidates({ DOCKER_HOST: 'tcp://far:1' }, home)).toEqual([
      { dockerHost: 'tcp://far:1', source: 'DOCKER_HOST' },
    ]);
  });

  test('without a word from the user the default socket comes first', () => {
    expect(candidates({}, home)[0]?.dockerHost).toBe('unix:///var/run/docker.sock');
  });

  test('the current docker context comes before the default socket', () => {
    writeContext('lab', 'tcp://lab:2375');
    fs.writeFileSync(path.join(home, '.docker/config.json'), JSON.stringify({ currentContext: 'lab' }));
    expect(candidates({}, home)[0]).toEqual({ dockerHost: 'tcp://lab:2375', source: 'docker context "lab"' });
  });

  test('DOCKER_CONTEXT comes before the context that is configured', () => {
    writeContext('lab', 'tcp://lab:2375');
    writeContext('other', 'unix:///other.sock');
    fs.writeFileSync(path.join(home, '.docker/config.json'), JSON.stringify({ currentContext: 'lab' }));
    expect(candidates({ DOCKER_CONTEXT: 'other' }, home)[0]?.dockerHost).toBe('unix:///other.sock');
  });

  test('a rootless engine is looked for where the session keeps its sockets', () => {
    const hosts = candidates({ XDG_RUNTIME_DIR: '/run/user/7' }, home).map(({ dockerHost }) => dockerHost);
    expect(hosts).toContain('unix:///run/user/7/docker.sock');
  });
});

describe('how an engine is connected to', () => {
  test('a socket by its path', () => {
    expect(connectionOptions('unix:///a/b.sock', {})).toEqual({ socketPath: '/a/b.sock', host: 'localhost' });
  });

  test('tcp with the usual port', () => {
    expect(connectionOptions('tcp://box', {})).toEqual({ protocol: 'http:', host: 'box', port: 2375 });
  });

  test('an IPv6 address without its brackets', () => {
    expect(connectionOptions('tcp://[::1]:99', {})).toMatchObject({ host: '::1', port: 99 });
  });

  test('DOCKER_TLS_VERIFY makes tcp secure', () => {
    expect(connectionOptions('tcp://box', { DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: '/none' })).toMatchObject({
      protocol: 'https:',
      port: 2376,
    });
  });

  test.each(['ssh://box', 'box:2375', 'file:///x'])('%s is refused with the forms that work', (host) => {
    expect(() => connectionOptions(host, {})).toThrow(/use unix:\/\/, tcp:\/\//);
  });
});

describe('the age of an engine', () => {
  test.each(['19.03.15', '20.9.1'])('%s is warned about', (version) => {
    expect(ageWarning(version)).toContain('older than 20.10');
  });

  test.each(['20.10.24+dfsg1', '28.2.2'])('%s is fine', (version) => {
    expect(ageWarning(version)).toBeUndefined();
  });
});
