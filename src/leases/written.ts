/** What the store's library rejects with: the reason lies in a promise beside it, which nobody else hears of. */
interface CommitFailure {
  readonly commitError?: unknown;
}

/** A write as it is, but it rejects with the reason for which a commit failed, such as a full disk. */
export async function written<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const { commitError } = error as CommitFailure;
    if (commitError instanceof Promise) await commitError;
    throw error;
  }
}
