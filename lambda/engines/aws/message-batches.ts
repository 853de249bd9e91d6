/** SQS takes at most ten messages in a batch. */
export const MOST_ENTRIES = 10;
/** And at most this many bytes of bodies in all, a single message included. */
export const MOST_BATCH_BYTES = 256 * 1024;

export interface BatchEntry {
  /** Unique within the batch. */
  readonly id: string;
  readonly body: string;
}

/** Groups bodies, in order, into batches that SQS takes. A body above the limit gets a batch of its own. */
export const batchesOf = (bodies: readonly string[]): BatchEntry[][] => {
  const batches: BatchEntry[][] = [];
  let room = 0;
  for (const [index, body] of bodies.entries()) {
    const bytes = Buffer.byteLength(body);
    const batch = batches.at(-1);
    const entry = { id: String(index), body };
    if (batch === undefined || batch.length === MOST_ENTRIES || bytes > room) {
      batches.push([entry]);
      room = MOST_BATCH_BYTES - bytes;
    } else {
      batch.push(entry);
      room -= bytes;
    }
  }
  return batches;
};
