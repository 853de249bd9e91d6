import { TileonceError } from '../../errors.ts';
import { windowName } from '../../identity/job-key.ts';
import type { CogDescription } from '../cog/cog-image.ts';
import { checkDescription } from '../cog/cog-image.ts';
import type { PixelArray, RangeReader, RasterGrid, RasterSize } from '../types.ts';

/** Where a mosaic's bytes go, in order. */
export interface ByteSink {
  /** The memory is written over once the promise is kept. */
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** SHA-256 of all that was written, lower-case hex, of a sink that takes it anyway; it is not taken twice then. */
  sha256?(): string;
}

/** Where compressed overview blocks wait until their place in the file is known. Appends may come in any order. */
export interface Scratch {
  /** The memory is written over once the promise is kept. */
  append(bytes: Uint8Array<ArrayBuffer>): Promise<{ readonly offset: number; readonly length: number }>;
  /** @param into memory as long as the answer that may be filled and given back: it spares new memory for each block */
  read(offset: number, length: number, into?: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
}

/** A tile's reader; closed when it is no longer needed, if it can be. */
export interface TileReader extends RangeReader, Partial<AsyncDisposable> {
  /** `read` of the range from `offset` on into memory that is as long as the range, of a reader that can. */
  readInto?(offset: number, target: Uint8Array<ArrayBuffer>, signal?: AbortSignal): Promise<void>;
}

/** A scene to be put together from its windows' tiles: everything of the COG that is to be, but its pixels. */
export interface MosaicRequest extends Omit<CogDescription, 'width' | 'height' | 'grid'> {
  /** The whole scene's. */
  readonly grid: RasterGrid;
  /** Edges of the windows, px: 0 first, the scene's height last; those between are multiples of the block size. */
  readonly rowEdges: readonly number[];
  readonly columnEdges: readonly number[];
  /** The tile of a window, or null where the window is EMPTY. Called again for a tile that was closed to spare file descriptors. */
  readonly openTile: (row: number, column: number) => Promise<TileReader | null>;
  readonly sink: ByteSink;
  readonly scratch: Scratch;
  readonly signal?: AbortSignal;
}

export interface MosaicSummary {
  readonly bytes: number;
  /** Lower-case hex, of the whole file. */
  readonly sha256: string;
  readonly bigTiff: boolean;
  /** Blocks taken from tiles as they are, made from decoded pixels, and left out as nodata. */
  readonly blocksCopied: number;
  readonly blocksEncoded: number;
  readonly blocksSparse: number;
  readonly preview: MosaicPreview;
}

/** A small version of a mosaic; bands are rows x cols. */
export interface MosaicPreview extends RasterSize {
  readonly bands: readonly PixelArray[];
}

/** A scene that cannot be put together as it was asked for. */
export class MosaicError extends TileonceError {}

/** A tile that is not what its window needs. */
export class MosaicTileError extends MosaicError {
  constructor(row: number, column: number, trait: string, options: { cause?: unknown } = {}) {
    super(`tile ${windowName({ row, column })} ${trait}`, {
      ...options,
      remedy: 'make the tile again from its source, then assemble the scene',
    });
  }
}

/** The COG that a request asks for. Throws CogImageError or MosaicError where the request contradicts itself. */
export function describeMosaic(request: MosaicRequest): CogDescription {
  const { grid, blockSize, rowEdges, columnEdges } = request;
  const description: CogDescription = {
    width: grid.width,
    height: grid.height,
    bandCount: request.bandCount,
    dataType: request.dataType,
    nodata: request.nodata,
    grid: { crs: grid.crs, geotransform: grid.geotransform },
    blockSize,
    compression: request.compression,
    overviews: request.overviews,
    color: request.color,
    alpha: request.alpha,
    bandTags: request.bandTags,
    digest: request.digest,
  };
  checkDescription(description);
  checkEdges(rowEdges, grid.height, blockSize, 'row');
  checkEdges(columnEdges, grid.width, blockSize, 'column');
  return description;
}

function checkEdges(edges: readonly number[], length: number, blockSize: number, axis: string): void {
  const right =
    edges[0] === 0 &&
    edges.at(-1) === length &&
    edges.every((edge, i) => i === 0 || edge > (edges[i - 1] ?? edge)) &&
    edges.slice(0, -1).every((edge) => edge % blockSize === 0);
  if (!right) {
    throw new MosaicError(
      `a mosaic's ${axis} edges must run from 0 to ${length} px by multiples of ${blockSize} px, not ${edges.join(', ')}`,
    );
  }
}
