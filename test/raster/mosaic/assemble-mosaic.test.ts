import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CogImage } from '../../../lambda/raster/cog/cog-image.ts';
import { encodeCog } from '../../../lambda/raster/cog/encode-cog.ts';
import { assembleMosaic } from '../../../lambda/raster/mosaic/assemble-mosaic.ts';
import { MosaicError, MosaicTileError, type Scratch } from '../../../lambda/raster/mosaic/mosaic-request.ts';
import type { DataType, PixelArray } from '../../../lambda/raster/types.ts';
import { COMPRESSIONS, DATA_TYPES, OVERVIEW_METHODS } from '../../../lambda/raster/types.ts';
import { cogImage, noisyPixels } from '../../support/cog-images.ts';
import { cutTiles, mosaicRequest } from '../../support/mosaic-tiles.ts';

const BLOCK = 16;

/** Edges of windows of 1 to 4 blocks, the last of any length. */
const edges = fc
  .tuple(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }), fc.integer({ min: 1, max: 4 * BLOCK }))
  .map(([blocks, last]) => {
    const found = [0];
    for (const length of blocks) found.push((found.at(-1) ?? 0) + length * BLOCK);
    return [...found, (found.at(-1) ?? 0) + last];
  });

const nodataOf = (dataType: DataType): number => (dataType.startsWith('float') ? NaN : 7);

/** Pixels with holes, and whole windows of nothing where `isEmpty` says so. */
function scene(
  dataType: DataType,
  nodata: number | null,
  rowEdges: readonly number[],
  columnEdges: readonly number[],
  isEmpty: (window: number) => boolean,
): PixelArray {
  const width = columnEdges.at(-1) ?? 0;
  const height = rowEdges.at(-1) ?? 0;
  const pixels = noisyPixels(dataType, width, height, { seed: width * height, nodata });
  if (nodata === null) return pixels;
  const windowOf = (edgesOf: readonly number[], at: number): number => edgesOf.findLastIndex((edge) => edge <= at);
  return pixels.map((value, index) => {
    const row = windowOf(rowEdges, Math.floor(index / width));
    const column = windowOf(columnEdges, index % width);
    return isEmpty(row * columnEdges.length + column) ? nodata : value;
  });
}

const assembled = async (
  image: CogImage,
  rowEdges: readonly number[],
  columnEdges: readonly number[],
  limit?: number,
  halfBlocks = false,
) => {
  const tiles = cutTiles(image, rowEdges, columnEdges, halfBlocks);
  const { request, written } = mosaicRequest(image, rowEdges, columnEdges, tiles);
  const summary = await assembleMosaic(request, limit);
  return { summary, bytes: written(), tiles };
};

describe('a mosaic', () => {
  it('is, byte for byte, the COG of the whole scene, whatever its windows, types, holes and EMPTY windows', async () => {
    await fc.assert(
      fc.asyncProperty(
        edges,
        edges,
        fc.constantFrom(...DATA_TYPES),
        fc.constantFrom(...OVERVIEW_METHODS),
        fc.constantFrom(...COMPRESSIONS),
        fc.integer({ min: 1, max: 3 }),
        fc.boolean(),
        fc.boolean(),
        fc.integer(),
        async (rows, columns, dataType, overviews, compression, bandCount, hasNodata, halfBlocks, empties) => {
          const scale = halfBlocks ? 2 : 1;
          const [rowEdges, columnEdges] = [rows, columns].map((given) => given.map((edge) => edge * scale));
          if (rowEdges === undefined || columnEdges === undefined) throw new RangeError('no edges');
          const nodata = hasNodata ? nodataOf(dataType) : null;
          const isEmpty = (window: number): boolean => ((empties >> (window % 31)) & 1) === 1;
          const band = scene(dataType, nodata, rowEdges, columnEdges, isEmpty);
          const image = cogImage({
            width: columnEdges.at(-1) ?? 0,
            height: rowEdges.at(-1) ?? 0,
            bands: Array.from({ length: bandCount }, () => band),
            dataType,
            nodata,
            overviews,
            compression,
            blockSize: BLOCK * scale,
          });
          const { summary, bytes } = await assembled(image, rowEdges, columnEdges, undefined, halfBlocks);
          const whole = encodeCog(image);
          expect(bytes.equals(whole)).toBe(true);
          expect(summary.bytes).toBe(whole.length);
          expect(summary.sha256).toBe(createHash('sha256').update(whole).digest('hex'));
        },
      ),
      { numRuns: 60 },
    );
  }, 60_000);

  it('of colours with alpha is the COG of the whole scene', async () => {
    const [width, height] = [80, 96];
    const alpha = noisyPixels('uint8', width, height, { seed: 4 }).map((value, i) =>
      value < 90 || i % 80 < 16 ? 0 : 255,
    );
    const colours = [1, 2, 3].map((seed) =>
      noisyPixels('uint8', width, height, { seed }).map((value, i) => (alpha[i] === 0 ? 0 : value)),
    );
    const image = cogImage({ width, height, bands: [...colours, alpha], color: 'rgb', alpha: true });
    const { bytes, tiles } = await assembled(image, [0, 48, 96], [0, 16, 80]);
    expect(tiles.has('0 0')).toBe(false);
    expect(bytes.equals(encodeCog(image))).toBe(true);
  });

  it('is a BigTIFF where it is too large for a classic one, of the same blocks', async () => {
    const image = cogImage({ width: 64, height: 64, bands: [noisyPixels('uint8', 64, 64)] });
    const { summary, bytes } = await assembled(image, [0, 32, 64], [0, 32, 64], 1000);
    expect(summary.bigTiff).toBe(true);
    expect(bytes.equals(encodeCog(image, 1000))).toBe(true);
  });

  it('copies every block that a tile has, on the overview levels too', async () => {
    const image = cogImage({ width: 256, height: 256, bands: [noisyPixels('uint8', 256, 256)] });
    const { summary } = await assembled(image, [0, 64, 128, 192, 256], [0, 64, 128, 192, 256]);
    // 16² + 8² + 4² blocks are in the tiles of 64 px; 2² + 1 have to be made.
    expect(summary).toMatchObject({ blocksCopied: 256 + 64 + 16, blocksEncoded: 5, blocksSparse: 0 });
  });

  it('puts an overview together from the half blocks of its tiles, and reads no full resolution for it', async () => {
    const image = cogImage({ width: 256, height: 256, bands: [noisyPixels('uint8', 256, 256)], blockSize: 64 });
    const edgesOf = [0, 64, 128, 192, 256];
    const tiles = cutTiles(image, edgesOf, edgesOf, true);
    const { request, written } = mosaicRequest(image, edgesOf, edgesOf, tiles);
    const before: number[] = [];
    const scratch = {
      append: (bytes: Uint8Array<ArrayBuffer>) => {
        before.push(bytes.length);
        return request.scratch.append(bytes);
      },
      read: (offset: number, length: number) => request.scratch.read(offset, length),
    };
    const reads: number[] = [];
    const summary = await assembleMosaic({
      ...request,
      scratch,
      openTile: async (row, column) => {
        const reader = await request.openTile(row, column);
        if (reader === null) return null;
        return {
          name: reader.name,
          size: reader.size,
          read: (ranges, signal) => {
            // While there are overviews to make: four blocks of 128 px, and the one above them.
            if (before.length < 4) reads.push(...ranges.map(({ length }) => length));
            return reader.read(ranges, signal);
          },
        };
      },
    });
    expect(written().equals(encodeCog(image))).toBe(true);
    expect(summary).toMatchObject({ blocksCopied: 16, blocksEncoded: 5 });
    const headers = reads.filter((length) => length > 32 * 32 + 64);
    expect(headers).toHaveLength(16);
    expect(reads.length - headers.length).toBe(16);
  });

  it.each([
    // Four blocks of the first overview and one of the second are read to be written, and for nothing else.
    ['reads no block that it made again where each level is half of the one below', 256, 5],
    // 250 and 125 px, then 63: the last level's one block straddles four, which are read for it once more.
    ['reads what it made again where a side is odd', 250, 9],
  ])('%s', async (_what, side, expected) => {
    const image = cogImage({ width: side, height: side, bands: [noisyPixels('uint8', side, side)], blockSize: 64 });
    const edgesOf = [0, 64, 128, 192, side];
    const { request, written } = mosaicRequest(image, edgesOf, edgesOf, cutTiles(image, edgesOf, edgesOf));
    let reads = 0;
    const scratch: Scratch = {
      append: (bytes) => request.scratch.append(bytes),
      read: (offset, length) => {
        reads += 1;
        return request.scratch.read(offset, length);
      },
    };
    await assembleMosaic({ ...request, scratch });
    expect(written().equals(encodeCog(image))).toBe(true);
    expect(reads).toBe(expected);
  });

  it('makes overviews of an odd side from pixels, because they are not those of its tiles', async () => {
    const image = cogImage({ width: 129, height: 128, bands: [noisyPixels('uint8', 129, 128)] });
    const { summary } = await assembled(image, [0, 64, 128], [0, 64, 129]);
    expect(summary).toMatchObject({ blocksCopied: 9 * 8 });
  });

  it('shows the first level of at most 1,024 px as its preview', async () => {
    const image = cogImage({ width: 1280, height: 640, bands: [noisyPixels('uint8', 1280, 640)], blockSize: 128 });
    const { summary } = await assembled(image, [0, 256, 512, 640], [0, 256, 512, 1280]);
    const [pixels] = summary.preview.bands;
    const mean = (at: number): number =>
      [0, 1, 1280, 1281].reduce((sum, step) => sum + (image.bands[0]?.[at + step] ?? 0), 0) / 4;
    expect(summary.preview).toMatchObject({ width: 640, height: 320 });
    expect(pixels?.[0]).toBe(Math.floor(mean(0) + 0.5));
    expect(pixels?.[640 * 319 + 639]).toBe(Math.floor(mean(1280 * 638 + 1278) + 0.5));
  });

  it('shows a preview of at most 1,024 px where even the smallest level is larger', async () => {
    const image = cogImage({ width: 1100, height: 20, bands: [noisyPixels('uint8', 1100, 20)], blockSize: 2048 });
    const { summary } = await assembled(image, [0, 20], [0, 1100]);
    expect(summary.preview).toMatchObject({ width: 550, height: 10 });
  });
});

describe('a mosaic that cannot be assembled', () => {
  const image = cogImage({ width: 64, height: 64, bands: [noisyPixels('uint8', 64, 64)] });
  const edgesOf = [0, 32, 64];

  it('names a tile of the wrong size', async () => {
    const tiles = cutTiles(image, edgesOf, edgesOf);
    tiles.set('1 0', tiles.get('0 0') ?? new Uint8Array(0));
    tiles.set('0 1', encodeCog(cogImage({ width: 16, height: 32, bands: [noisyPixels('uint8', 16, 32)] })));
    const { request, written } = mosaicRequest(image, edgesOf, edgesOf, tiles);
    await expect(assembleMosaic(request)).rejects.toThrow(
      new MosaicTileError(0, 1, '(0_1.tif) has 16 wide where the mosaic needs 32'),
    );
    expect(written()).toHaveLength(0);
  });

  it.each([
    ['bands', { bands: [noisyPixels('uint8', 32, 32), noisyPixels('uint8', 32, 32)] }, 'has 2 bands where'],
    ['type', { dataType: 'int8', bands: [noisyPixels('int8', 32, 32)] }, 'has 2 as sample format where'],
    ['compression', { compression: 'zstd', bands: [noisyPixels('uint8', 32, 32)] }, 'has 50000 as compression where'],
    ['blocks', { blockSize: 32, bands: [noisyPixels('uint8', 32, 32)] }, 'has 32 block columns where'],
  ] as const)('names a tile of other %s', async (_, parts, message) => {
    const tiles = cutTiles(image, edgesOf, edgesOf);
    tiles.set('1 1', encodeCog(cogImage({ width: 32, height: 32, ...parts })));
    const { request } = mosaicRequest(image, edgesOf, edgesOf, tiles);
    await expect(assembleMosaic(request)).rejects.toThrow(`tile 0001_0001 (1_1.tif) ${message}`);
  });

  it('names a tile that is no COG, and one whose blocks are damaged', async () => {
    const broken = (damage: (tile: Uint8Array<ArrayBuffer>) => void): Promise<unknown> => {
      const tiles = cutTiles(image, edgesOf, edgesOf);
      const tile = tiles.get('1 0') ?? new Uint8Array(0);
      damage(tile);
      return assembleMosaic(mosaicRequest(image, edgesOf, edgesOf, tiles).request);
    };
    await expect(broken((tile) => tile.fill(0))).rejects.toThrow(
      "tile 0001_0000 (1_0.tif) is not a COG of this project's",
    );
    await expect(broken((tile) => tile.fill(0, tile.length - 600))).rejects.toThrow(/tile 0001_0000 \(1_0.tif\) /);
  });

  it('refuses edges between blocks', async () => {
    const { request } = mosaicRequest(image, [0, 30, 64], edgesOf, new Map());
    await expect(assembleMosaic(request)).rejects.toThrow(MosaicError);
  });

  it('stops when it is told to', async () => {
    const { request } = mosaicRequest(image, edgesOf, edgesOf, cutTiles(image, edgesOf, edgesOf));
    await expect(assembleMosaic({ ...request, signal: AbortSignal.abort() })).rejects.toThrow('aborted');
  });
});
