/** Where the compressed blocks of a mosaic's levels are before they are written: in tiles, in the scratch, or nowhere (sparse). */
import { LEADER_BYTES, FRAME_BYTES } from '../cog/layout.ts';
import type { RasterSize } from '../types.ts';
import type { Scratch } from './mosaic-request.ts';
import { MosaicTileError } from './mosaic-request.ts';
import type { TileReaders } from './tile-readers.ts';
import type { Tile } from './tile-set.ts';

/** `source` of a block in the scratch; other sources are indices of tiles. */
export const IN_SCRATCH = -1;

/** One level's blocks, row by row. Typed arrays, because a large scene has millions of blocks. */
export interface LevelBlocks extends RasterSize {
  readonly columns: number;
  readonly rows: number;
  /** Compressed size; 0: sparse. */
  readonly blockBytes: Uint32Array<ArrayBuffer>;
  /** Of the block's data in its source, behind the leader. */
  readonly offsets: Float64Array<ArrayBuffer>;
  readonly source: Int32Array<ArrayBuffer>;
  /** 1 where the block's place is settled, sparse ones included. */
  readonly settled: Uint8Array<ArrayBuffer>;
}

export function emptyLevel({ width, height }: RasterSize, blockSize: number): LevelBlocks {
  const columns = Math.ceil(width / blockSize);
  const rows = Math.ceil(height / blockSize);
  return {
    width,
    height,
    columns,
    rows,
    blockBytes: new Uint32Array(columns * rows),
    offsets: new Float64Array(columns * rows),
    source: new Int32Array(columns * rows).fill(IN_SCRATCH),
    settled: new Uint8Array(columns * rows),
  };
}

/** A run of neighbouring blocks that stand behind each other in one source, frames included. */
export interface BlockRun {
  readonly source: number;
  /** Of the first block's leader. */
  readonly offset: number;
  readonly length: number;
  /** Sizes of the run's blocks. */
  readonly blockBytes: readonly number[];
}

/** A level's blocks in the order in which they are written, in runs as long as a row of blocks allows. Sparse ones are passed over. */
export function* blockRuns(level: LevelBlocks): Generator<BlockRun> {
  for (let row = 0; row < level.rows; row++) {
    let run: { source: number; offset: number; length: number; blockBytes: number[] } | undefined;
    for (let block = row * level.columns; block < (row + 1) * level.columns; block++) {
      const bytes = level.blockBytes[block] ?? 0;
      if (bytes === 0) continue;
      const source = level.source[block] ?? IN_SCRATCH;
      const offset = (level.offsets[block] ?? 0) - LEADER_BYTES;
      // A scratch gives back what it was given, piece by piece.
      if (run !== undefined && source !== IN_SCRATCH && source === run.source && offset === run.offset + run.length) {
        run.length += bytes + FRAME_BYTES;
        run.blockBytes.push(bytes);
        continue;
      }
      if (run !== undefined) yield run;
      run = { source, offset, length: bytes + FRAME_BYTES, blockBytes: [bytes] };
    }
    if (run !== undefined) yield run;
  }
}

/** Reads a run of blocks from wherever it is into `target`, which is as long as the run. */
export type ReadRun = (run: BlockRun, target: Uint8Array<ArrayBuffer>) => Promise<void>;

/** The reader of a mosaic's runs. It throws MosaicTileError where the leader of a tile's block is not the size that its directory says. */
export function runReader(
  tiles: readonly Tile[],
  readers: TileReaders,
  scratch: Scratch,
  signal?: AbortSignal,
): ReadRun {
  return async ({ source, offset, length, blockBytes }, target) => {
    signal?.throwIfAborted();
    const tile = tiles[source];
    if (tile === undefined) {
      keep(await scratch.read(offset, length, target), target);
      return;
    }
    const { row, column, name } = tile;
    await readers.use(row, column, async (reader) => {
      if (reader.readInto === undefined) {
        const [bytes] = await reader.read([{ offset, length }], signal);
        keep(bytes, target);
      } else await reader.readInto(offset, target, signal);
    });
    if (!leadersAre(target, blockBytes)) {
      throw new MosaicTileError(row, column, `(${name}) has a block that is not as long as it says`);
    }
  };
}

function keep(bytes: Uint8Array<ArrayBuffer> | undefined, target: Uint8Array<ArrayBuffer>): void {
  if (bytes?.length !== target.length)
    throw new RangeError(`${bytes?.length} bytes came where ${target.length} were asked for`);
  if (bytes.buffer !== target.buffer) target.set(bytes);
}

function leadersAre(bytes: Uint8Array<ArrayBuffer>, blockBytes: readonly number[]): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  for (const size of blockBytes) {
    if (view.getUint32(at, true) !== size) return false;
    at += size + FRAME_BYTES;
  }
  return true;
}
