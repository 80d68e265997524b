/** What can be left over. */
export type ItemKind = 'container' | 'lease' | 'worker' | 'batch' | 'staging' | 'owner' | 'session' | 'image';

/** One thing that goes, or that stays. */
export interface CleanItem {
  readonly kind: ItemKind;
  readonly name: string;
  /** Why it goes, or why it stays. */
  readonly reason: string;
  /** On the disk, where that is known. */
  readonly bytes?: number;
}

/** What one part of the clean-up came to. */
export interface PartResult {
  /** What went, or would go. A batch is published: its files stay. */
  readonly removed: readonly CleanItem[];
  /** What has a mark of ours and stays. */
  readonly kept: readonly CleanItem[];
  /** Bytes that are free now, or would be at least. */
  readonly bytes: number;
  /** What could not be removed, or looked at. */
  readonly failures: readonly unknown[];
}

export const NOTHING: PartResult = { removed: [], kept: [], bytes: 0, failures: [] };
