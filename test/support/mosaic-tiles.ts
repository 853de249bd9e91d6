import { pixelArray } from '../../lambda/raster/data-type.ts';
import type { CogImage } from '../../lambda/raster/cog/cog-image.ts';
import { encodeCog } from '../../lambda/raster/cog/encode-cog.ts';
import { hasHalfBlockOverview } from '../../lambda/pipeline/output-image.ts';
import { memoryScratch } from '../../lambda/raster/mosaic/memory-scratch.ts';
import type { MosaicRequest } from '../../lambda/raster/mosaic/mosaic-request.ts';
import type { PixelArray, PixelRect } from '../../lambda/raster/types.ts';
import { BytesReader } from './bytes-reader.ts';

/** The part of an image under a window, as an image. */
export function cutWindow(image: CogImage, rect: PixelRect): CogImage {
  const [x0, dx, rx, y0, ry, dy] = image.grid.geotransform;
  const { x, y, width, height } = rect;
  return {
    ...image,
    width,
    height,
    grid: { ...image.grid, geotransform: [x0 + x * dx + y * rx, dx, rx, y0 + x * ry + y * dy, ry, dy] },
    bands: image.bands.map((band) => cut(band, image, rect)),
  };
}

function cut(band: PixelArray, image: CogImage, { x, y, width, height }: PixelRect): PixelArray {
  const pixels = pixelArray(image.dataType, width * height);
  for (let row = 0; row < height; row++) {
    const from = (y + row) * image.width + x;
    pixels.set(band.subarray(from, from + width), row * width);
  }
  return pixels;
}

/** The tiles of an image's windows by `row column`; a window that holds nothing but nodata (under an alpha: but zeros) has none. `halfBlocks`: with the overviews in half blocks that a pipeline's tiles have. */
export function cutTiles(
  image: CogImage,
  rowEdges: readonly number[],
  columnEdges: readonly number[],
  halfBlocks = false,
): Map<string, Uint8Array<ArrayBuffer>> {
  const tiles = new Map<string, Uint8Array<ArrayBuffer>>();
  const fill = image.alpha ? 0 : image.nodata;
  for (const [row, y] of rowEdges.slice(0, -1).entries()) {
    for (const [column, x] of columnEdges.slice(0, -1).entries()) {
      const width = (columnEdges[column + 1] ?? 0) - x;
      const height = (rowEdges[row + 1] ?? 0) - y;
      const window = cutWindow(image, { x, y, width, height });
      const empty = fill !== null && window.bands.every((band) => band.every((value) => Object.is(value, fill)));
      const halfBlockOverview = halfBlocks && hasHalfBlockOverview(image, window, image.blockSize);
      if (!empty) tiles.set(`${row} ${column}`, encodeCog({ ...window, halfBlockOverview }));
    }
  }
  return tiles;
}

/** A request for the mosaic of an image from its tiles, and what the sink has been given so far. */
export function mosaicRequest(
  image: CogImage,
  rowEdges: readonly number[],
  columnEdges: readonly number[],
  tiles: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
): { request: MosaicRequest; written: () => Buffer } {
  const { bands, width, height, grid, ...rest } = image;
  const pieces: Uint8Array[] = [];
  const request: MosaicRequest = {
    ...rest,
    bandCount: bands.length,
    grid: { ...grid, width, height },
    rowEdges,
    columnEdges,
    openTile: (row, column) => {
      const bytes = tiles.get(`${row} ${column}`);
      return Promise.resolve(bytes === undefined ? null : new BytesReader(`${row}_${column}.tif`, bytes));
    },
    sink: {
      write: (bytes) => {
        pieces.push(bytes.slice());
        return Promise.resolve();
      },
    },
    scratch: memoryScratch(),
  };
  return { request, written: () => Buffer.concat(pieces) };
}
