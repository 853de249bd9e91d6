import { bytesPerSample } from '../data-type.ts';
import { COMPRESSION_TAGS, predictorTag } from '../cog/codec.ts';
import type { CogDescription } from '../cog/cog-image.ts';
import type { CogIndex } from '../cog/read-cog.ts';
import { readCogIndex } from '../cog/read-cog.ts';
import { sampleType } from '../cog/sample-type.ts';
import type { PixelRect } from '../types.ts';
import { forEachBounded } from './bounded.ts';
import type { MosaicRequest } from './mosaic-request.ts';
import { MosaicTileError } from './mosaic-request.ts';
import type { TileReaders } from './tile-readers.ts';

/** One window's tile. */
export interface Tile {
  readonly row: number;
  readonly column: number;
  /** The window, px of the scene. */
  readonly rect: PixelRect;
  /** What messages call the object. */
  readonly name: string;
  readonly index: CogIndex;
}

/** Headers under way at a time: enough to hide an object store's latency. */
const HEADERS_AT_A_TIME = 16;

/** The tiles of all windows that are not EMPTY, in row-major order; each is checked to be what the mosaic needs. Throws MosaicTileError. */
export async function findTiles(
  request: MosaicRequest,
  description: CogDescription,
  readers: TileReaders,
): Promise<Tile[]> {
  const windows = [...windowsOf(request)];
  const tiles = windows.map((): Tile | null => null);
  await forEachBounded(windows.entries(), HEADERS_AT_A_TIME, async ([at, { row, column, rect }]) => {
    request.signal?.throwIfAborted();
    tiles[at] = await readers.tryUse(row, column, async (reader) => {
      const index = await readCogIndex(reader, request.signal);
      if (index === null) throw new MosaicTileError(row, column, `(${reader.name}) is not a COG of this project's`);
      const trait = misfit(index, rect, description);
      if (trait !== null) throw new MosaicTileError(row, column, `(${reader.name}) ${trait}`);
      return { row, column, rect, name: reader.name, index };
    });
  });
  return tiles.filter((tile) => tile !== null);
}

function* windowsOf({ rowEdges, columnEdges }: MosaicRequest): Generator<Pick<Tile, 'row' | 'column' | 'rect'>> {
  for (const [row, y] of rowEdges.slice(0, -1).entries()) {
    for (const [column, x] of columnEdges.slice(0, -1).entries()) {
      const width = (columnEdges[column + 1] ?? x) - x;
      const height = (rowEdges[row + 1] ?? y) - y;
      yield { row, column, rect: { x, y, width, height } };
    }
  }
}

/** What keeps a tile's blocks from being blocks of the mosaic, or null. */
function misfit(index: CogIndex, rect: PixelRect, description: CogDescription): string | null {
  const { blockSize, bandCount, compression, dataType } = description;
  const [full] = index.levels;
  const traits: [string, number | undefined, number][] = [
    ['wide', full?.width, rect.width],
    ['high', full?.height, rect.height],
    ['block columns', full?.blockWidth, blockSize],
    ['block rows', full?.blockHeight, blockSize],
    ['bands', index.bandCount, bandCount],
    ['bits a sample', index.bitsPerSample, 8 * bytesPerSample(dataType)],
    ['as sample format', index.sampleFormat, sampleType(dataType).format],
    ['as compression', index.compression, COMPRESSION_TAGS[compression]],
    ['as predictor', index.predictor, predictorTag(compression, dataType)],
  ];
  for (const [name, found, wanted] of traits) {
    if (found !== wanted) return `has ${found} ${name} where the mosaic needs ${wanted}`;
  }
  for (const { width, height, blockWidth, blockHeight, offsets, blockBytes } of index.levels) {
    if (blockWidth < 1 || blockWidth !== blockHeight) return `has blocks of ${blockWidth} x ${blockHeight} px`;
    const blocks = Math.ceil(width / blockWidth) * Math.ceil(height / blockHeight);
    if (offsets.length !== blocks || blockBytes.length !== blocks) return `has a directory of the wrong length`;
  }
  return null;
}
