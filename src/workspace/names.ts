import { createHash } from 'node:crypto';

/** Leaves room for a suffix within the 255 bytes a file name may have. */
const MAX_BYTES = 160;
const READABLE_BYTES = 64;

/**
 * A folder name for an id: different ids have different names, also where upper and lower case are the same.
 *
 * Lower-case letters, digits and `. _ @ + -` stay readable; every other byte becomes `%xx`. Long names end in a hash;
 * `%%` before it cannot come from a byte. A name never starts with a dot and never holds `~`.
 */
export function encodeName(id: string): string {
  const encoded = [...Buffer.from(id, 'utf8')].map(encodeByte).join('');
  if (encoded.length <= MAX_BYTES) return encoded;
  const hash = createHash('sha256').update(id, 'utf8').digest('hex');
  return `${encoded.slice(0, READABLE_BYTES)}%%${hash}`;
}

function encodeByte(byte: number, index: number): string {
  const char = String.fromCharCode(byte);
  const plain = index === 0 ? /[a-z0-9_@+-]/ : /[a-z0-9._@+-]/;
  return plain.test(char) ? char : `%${byte.toString(16).padStart(2, '0')}`;
}

/** Spellings under which a file may lie on disk: as asked for, composed, decomposed; each once. */
export function spellings(path: string): string[] {
  return [...new Set([path, path.normalize('NFC'), path.normalize('NFD')])];
}
