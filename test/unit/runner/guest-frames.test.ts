import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HEADER_BYTES, MAX_PAYLOAD_BYTES, PROTOCOL_VERSION, TO_GUEST, TO_HOST } from '../../../src/runner/protocol';

const source = readFileSync(join(__dirname, '../../../src/runner/guest/frames.py'), 'utf8');

/** Names and numbers of one class of frame types in the guest's source. */
function typesOf(className: string): Record<string, number> {
  const body = new RegExp(`class ${className}:([\\s\\S]*?)\\n\\n\\n`).exec(source)?.[1] ?? '';
  const found: Record<string, number> = {};
  for (const [, names = '', numbers = ''] of body.matchAll(/^ {4}([A-Z_, ]+) = (.+)$/gm)) {
    const values = numbers.split(',').map((text) => Number(text.trim()));
    names.split(',').forEach((name, index) => (found[name.trim()] = values[index] ?? Number.NaN));
  }
  return found;
}

describe('the frames of the guest', () => {
  it('have the types that the host sends', () => {
    expect(typesOf('ToGuest')).toEqual(TO_GUEST);
  });

  it('have the types that the host expects', () => {
    expect(typesOf('ToHost')).toEqual(TO_HOST);
  });

  it('have version, header and largest payload of the host', () => {
    expect(source).toContain(`VERSION = ${PROTOCOL_VERSION}\n`);
    expect(source).toContain('HEADER = struct.Struct(">2sBBII")\n');
    expect(2 + 1 + 1 + 4 + 4).toBe(HEADER_BYTES);
    expect(source).toContain('MAX_PAYLOAD = 1 << 20\n');
    expect(1 << 20).toBe(MAX_PAYLOAD_BYTES);
  });
});
