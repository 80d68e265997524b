import type { Directory } from './directory';
import { asPlatformFault } from './faults';
import type { TenantUsage } from './usage';
import { OutputRefused } from './workspace';

/** Bounds one file has to keep, in bytes. */
export interface FileBounds {
  readonly maxBytes: number;
  readonly quotaBytes: number;
  /** Bytes that the file replaces; they count for nothing twice. */
  readonly replacedBytes: number;
}

/** The room one file takes while it arrives. */
export class Claim {
  private size = 0;
  private reserved = 0;

  constructor(
    private readonly tenant: Directory,
    private readonly usage: TenantUsage,
    private readonly path: string,
    private readonly bounds: FileBounds,
  ) {}

  /** Asks for more bytes. Rejects with OutputRefused where the file is too large or the quota is used up. */
  async take(bytes: number): Promise<void> {
    const { maxBytes, quotaBytes, replacedBytes } = this.bounds;
    this.size += bytes;
    if (this.size > maxBytes) {
      throw new OutputRefused(this.path, `is larger than the ${maxBytes} bytes a file may have`, { max: maxBytes });
    }
    const more = Math.max(0, this.size - replacedBytes) - this.reserved;
    if (more === 0) return;
    if (!(await this.reserve(more))) {
      const reason = `does not fit: the workspace may hold ${quotaBytes} bytes, ${this.usage.used} are in use`;
      throw new OutputRefused(this.path, reason, { max: quotaBytes });
    }
    this.reserved += more;
  }

  /** Gives all of it back. Idempotent. */
  release(): void {
    this.usage.release(this.reserved);
    this.reserved = 0;
  }

  private async reserve(bytes: number): Promise<boolean> {
    try {
      return await this.usage.reserve(this.tenant, bytes);
    } catch (error) {
      throw asPlatformFault(error, 'counting the files of the workspace', this.path);
    }
  }
}
