import { createHash } from 'node:crypto';
import type { CogDescription } from '../cog/cog-image.ts';
import { layoutCog } from '../cog/layout.ts';
import type { BlockRun, LevelBlocks, ReadRun } from './block-table.ts';
import { blockRuns } from './block-table.ts';
import { forEachBounded, inOrder } from './bounded.ts';
import type { ByteSink } from './mosaic-request.ts';

/** Bytes that are read side by side, then written at once; a longer run is a part of its own. */
const PART_BYTES = 4 * 2 ** 20;
/** Parts that are read while one is written. */
const PARTS_AHEAD = 2;
/** Runs of a part that are read at a time: enough to hide an object store's latency. */
const RUNS_AT_A_TIME = 16;

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
  const out = hashing(sink);
  await out.write(header);
  let written = header.length;
  for await (const bytes of inOrder(parts(levels), PARTS_AHEAD, partReader(readRun))) {
    await out.write(bytes);
    written += bytes.length;
  }
  if (written !== totalBytes) throw new RangeError(`wrote ${written} bytes of a mosaic of ${totalBytes}`);
  return { bytes: written, sha256: out.sha256(), bigTiff };
}

function hashesItself(sink: ByteSink): sink is Required<ByteSink> {
  return sink.sha256 !== undefined;
}

/** The sink, hashed here where it does not do so itself. */
function hashing(sink: ByteSink): Required<ByteSink> {
  if (hashesItself(sink)) return sink;
  const hash = createHash('sha256');
  return {
    write: async (bytes) => {
      const writing = sink.write(bytes);
      hash.update(bytes);
      await writing;
    },
    sha256: () => hash.digest('hex'),
  };
}

/** Runs that follow each other in the file. */
interface Part {
  readonly length: number;
  /** Each with where it begins in the part. */
  readonly runs: readonly { readonly run: BlockRun; readonly at: number }[];
}

function* parts(levels: readonly LevelBlocks[]): Generator<Part> {
  let runs: { run: BlockRun; at: number }[] = [];
  let length = 0;
  for (const level of levels.toReversed()) {
    for (const run of blockRuns(level)) {
      if (length > 0 && length + run.length > PART_BYTES) {
        yield { length, runs };
        runs = [];
        length = 0;
      }
      runs.push({ run, at: length });
      length += run.length;
    }
  }
  if (length > 0) yield { length, runs };
}

/** Reads parts one after another, each into memory that is written over as soon as the reading of later ones needs it. */
function partReader(readRun: ReadRun): (part: Part) => Promise<Uint8Array<ArrayBuffer>> {
  const memory = Array.from({ length: PARTS_AHEAD + 1 }, () => new Uint8Array(0));
  let turn = 0;
  return async ({ length, runs }) => {
    turn = (turn + 1) % memory.length;
    let held = memory[turn] ?? new Uint8Array(0);
    if (held.length < length) held = memory[turn] = new Uint8Array(Math.max(length, PART_BYTES));
    const bytes = held.subarray(0, length);
    await forEachBounded(runs, RUNS_AT_A_TIME, ({ run, at }) => readRun(run, bytes.subarray(at, at + run.length)));
    return bytes;
  };
}
