import { lookup } from 'mime-types';
import { extname } from 'node:path';

const UNKNOWN = 'application/octet-stream';

// What programs here save and the registry does not know, or takes for a video.
const OWN: Readonly<Record<string, string>> = {
  '.ts': 'text/typescript',
  '.mts': 'text/typescript',
  '.cts': 'text/typescript',
  '.py': 'text/x-python',
  '.jsonl': 'application/jsonl',
  '.ndjson': 'application/x-ndjson',
  '.parquet': 'application/vnd.apache.parquet',
};

/** Media type by the file's extension, without a charset: nobody looked at the bytes. */
export function mediaTypeOf(path: string): string {
  const extension = extname(path).toLowerCase();
  return OWN[extension] ?? (lookup(extension) || UNKNOWN);
}
