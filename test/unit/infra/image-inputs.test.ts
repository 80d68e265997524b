import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { hostCertificates } from '../../../infra/setup/image/context.js';
import { digest, filesBelow, sandboxImageTag, splitDockerfile } from '../../../infra/setup/image/inputs.js';

describe('the sandbox image is named by what goes into it', () => {
  let folder: string;
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hourglass-unit-'));
  });
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  const write = (file: string, text: string): void => {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.writeFileSync(path.join(folder, file), text);
  };

  test('the tag is a short hash, and the same on every call', () => {
    expect(sandboxImageTag({})).toMatch(/^hourglass\/sandbox:[0-9a-f]{12}$/);
    expect(sandboxImageTag({})).toBe(sandboxImageTag({}));
  });

  test('CODE_SANDBOX_IMAGE has the last word', () => {
    expect(sandboxImageTag({ CODE_SANDBOX_IMAGE: 'mine:1' })).toBe('mine:1');
  });

  test('files come sorted from all folders, without what tools leave behind', () => {
    for (const file of ['b.py', 'a/z.mjs', '__pycache__/b.pyc', '.DS_Store', 'a/node_modules/x.js']) write(file, '');
    expect(filesBelow(folder)).toEqual(['a/z.mjs', 'b.py']);
  });

  test('a folder that is not there has no files', () => {
    expect(filesBelow(path.join(folder, 'none'))).toEqual([]);
  });

  test('the border between two parts counts', () => {
    expect(digest(['ab', 'c'])).not.toBe(digest(['a', 'bc']));
  });

  test('the Dockerfile is cut before its last stage', () => {
    const text = 'FROM a AS one\nRUN x\n\nFROM one AS two\nCOPY y /\n';
    expect(splitDockerfile(text)).toEqual({
      dependencies: 'FROM a AS one\nRUN x\n\n',
      guest: 'FROM one AS two\nCOPY y /\n',
    });
  });

  test("this package's Dockerfile adds nothing but the guest in its last stage", () => {
    expect(splitDockerfile().guest).toMatch(/^FROM dependencies AS sandbox\nCOPY guest /);
  });

  test("the host's certificates come once each, and nothing where it has none", () => {
    write('one.pem', 'ONE\n');
    write('two.pem', 'TWO');
    const [one, two] = ['one.pem', 'two.pem'].map((file) => path.join(folder, file));
    expect(hostCertificates({ SSL_CERT_FILE: one, PIP_CERT: one, NODE_EXTRA_CA_CERTS: two })).toBe('ONE\nTWO\n');
    expect(hostCertificates({ PIP_CERT: path.join(folder, 'gone.pem') })).toBe('');
  });
});
