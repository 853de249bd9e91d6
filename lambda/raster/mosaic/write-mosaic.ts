import { createHash } from 'node:crypto';
import type { CogDescription } from '../cog/cog-image.ts';
import { layoutCog } from '../cog/layout.ts';
import type { LevelBlocks, ReadRun } from './block-table.ts';
import { blockRuns } from './block-table.ts';
import { inOrder } from './bounded.ts';
import type { ByteSink } from './mosaic-request.ts';

/** Runs of blocks read ahead of the one that is written. */
const READ_AHEAD = 4;
/** Bytes that are gathered before the sink is called: runs of small blocks would call it very often. */
const WRITE_BYTES = 2 ** 18;

export interface WrittenMosaic {
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly bigTiff: boolean;
}

/** Writes the whole file: its header, then the blocks of all levels from the smallest overview to full resolution, as they are. */
export async function writeMosaic(
  description: CogDescription,
  levels: readonly LevelBlocks[],
  readRun: ReadRun,
  sink: ByteSink,
  classicLimit?: number,
): Promise<WrittenMosaic> {
  const { header, bigTiff, totalBytes } = layoutCog(
    description,
    levels.map(({ blockBytes }) => blockBytes),
    classicLimit,
  );
  const hash = createHash('sha256');
  let written = 0;
  let waiting: Uint8Array<ArrayBuffer>[] = [];
  let waitingBytes = 0;
  const write = async (bytes: Uint8Array<ArrayBuffer>): Promise<void> => {
    hash.update(bytes);
    written += bytes.length;
    await sink.write(bytes);
  };
  const flush = async (): Promise<void> => {
    if (waitingBytes === 0) return;
    const bytes = joined(waiting, waitingBytes);
    waiting = [];
    waitingBytes = 0;
    await write(bytes);
  };
  const put = async (bytes: Uint8Array<ArrayBuffer>): Promise<void> => {
    if (waitingBytes + bytes.length > WRITE_BYTES) await flush();
    if (bytes.length > WRITE_BYTES) return write(bytes);
    waiting.push(bytes);
    waitingBytes += bytes.length;
  };
  await put(header);
  for await (const bytes of inOrder(allRuns(levels), READ_AHEAD, readRun)) await put(bytes);
  await flush();
  if (written !== totalBytes) throw new RangeError(`wrote ${written} bytes of a mosaic of ${totalBytes}`);
  return { bytes: written, sha256: hash.digest('hex'), bigTiff };
}

function* allRuns(levels: readonly LevelBlocks[]) {
  for (const level of levels.toReversed()) yield* blockRuns(level);
}

function joined(pieces: readonly Uint8Array<ArrayBuffer>[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
