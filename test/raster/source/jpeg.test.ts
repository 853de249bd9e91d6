import { describe, expect, it } from '@jest/globals';
import { openSource } from '../../../lambda/raster/source/open-source.ts';
import { decodeJpeg } from '../../../lambda/raster/source/jpeg/decode-jpeg.ts';
import { seeded } from '../../local/random.ts';
import { BytesReader } from '../../support/bytes-reader.ts';
import { jpegStream } from '../../support/jpeg-stream.ts';
import type { TiffValue } from '../../support/tiff-builder.ts';
import { buildTiff, GEOREFERENCE, imageTags, short } from '../../support/tiff-builder.ts';

const GREY = { width: 24, height: 16, samples: 1, tables: null, ycbcr: false };
const grey = (seed: number): Uint8Array<ArrayBuffer> =>
  jpegStream({ ...GREY, factors: [[1, 1]], restartInterval: 2, random: seeded(seed) });

/** Where a stream's marker stands. */
const markerAt = (stream: Uint8Array, marker: number): number =>
  stream.findIndex((byte, at) => byte === 0xff && stream[at + 1] === marker);

function changed(stream: Uint8Array, marker: number, after: number, value: number): Uint8Array<ArrayBuffer> {
  const copy = Uint8Array.from(stream);
  copy[markerAt(copy, marker) + after] = value;
  return copy;
}

async function open(stream: Uint8Array, tags: Readonly<Record<number, TiffValue>> = {}) {
  const image = { ...imageTags(GREY.width, GREY.height, 8), ...GEOREFERENCE, 259: short(7), ...tags };
  return openSource(new BytesReader('scene.tif', buildTiff([{ tags: image, blocks: [stream] }])));
}

describe('A JPEG block', () => {
  it('without any detail is as bright as its mean: 128 plus its level times its step over 8', () => {
    // Never a coefficient beyond the mean, whose level is 80 and whose step is 3.
    const flat = jpegStream({ ...GREY, factors: [[1, 1]], random: () => 0.9 });
    expect(new Set(decodeJpeg(flat, GREY))).toEqual(new Set([128 + (80 * 3) / 8]));
  });

  it('of three flat components is grey where the colours are in the middle, in any sampling', () => {
    // A level of 0 in all three.
    const shape = { width: 20, height: 10, samples: 3, tables: null, ycbcr: true };
    for (const luminance of [
      [1, 1],
      [2, 1],
      [2, 2],
    ] as const) {
      let asked = 0;
      // In turn: the level, and that no coefficient follows.
      const random = (): number => (asked++ % 2 === 0 ? 0.5 : 0.9);
      const stream = jpegStream({ ...shape, factors: [luminance, [1, 1], [1, 1]], random });
      expect(new Set(decodeJpeg(stream, shape))).toEqual(new Set([128]));
    }
  });

  it('may have its tables in the tag that all blocks share', () => {
    const stream = grey(1);
    const frame = markerAt(stream, 0xc0);
    const [frameEnd, scan] = [frame + 2 + 11, markerAt(stream, 0xda)];
    const tables = Uint8Array.of(...stream.subarray(0, frame), ...stream.subarray(frameEnd, scan), 0xff, 0xd9);
    const rest = Uint8Array.of(0xff, 0xd8, ...stream.subarray(frame, frameEnd), ...stream.subarray(scan));
    const interval = markerAt(stream, 0xdd);
    // The interval is no table: it stands in the block.
    const block = Uint8Array.of(0xff, 0xd8, ...stream.subarray(interval, interval + 6), ...rest.subarray(2));
    expect(decodeJpeg(block, { ...GREY, tables })).toEqual(decodeJpeg(stream, GREY));
    expect(() => decodeJpeg(block, GREY)).toThrow('a component or table that is not there');
  });

  it.each([
    ['cut off', grey(2).slice(0, -20), /ends (?:inside|before)|restart marker/],
    ['cut off in its header', grey(2).slice(0, 30), /ends inside/],
    ['of another size', changed(grey(2), 0xc0, 8, 23), /holds JPEG of 23 x 16 px where 24 x 16 belong/],
    ['of too many components', changed(grey(2), 0xc0, 9, 2), /frame header that cannot be/],
    ['with a lost restart marker', changed(grey(2), 0xd0, 1, 0xd1), /restart marker/],
    ['without a beginning', grey(2).subarray(7), /no JPEG marker/],
  ])('is refused where it is %s', (_, stream, message) => {
    expect(() => decodeJpeg(stream, GREY)).toThrow(message);
  });

  it('of another process is refused with the line that converts the file, not called damaged', async () => {
    for (const [stream, trait] of [
      [changed(grey(3), 0xc0, 1, 0xc2), 'is progressive JPEG, which is not read'],
      [changed(grey(3), 0xc0, 4, 12), 'is JPEG of 12 bits, of which only 8 are read'],
    ] as const) {
      const source = await open(stream);
      const read = source.readWindow([1], { x: 0, y: 0, width: 24, height: 16 }, 0);
      await expect(read).rejects.toThrow(
        `scene.tif: block 0 (24 x 16 px image, column 0, row 0) cannot be decoded: ${trait}`,
      );
      await expect(read).rejects.toMatchObject({ remedy: expect.stringContaining('gdal_translate') });
    }
  });

  it('of 12 bits is refused when the file is opened, and so are colour differences in planes', async () => {
    await expect(open(grey(4), { 258: short(12) })).rejects.toThrow('scene.tif: 12-bit JPEG compression is not read');
    const planes = { 258: short(8, 8, 8), 262: short(6), 277: short(3), 284: short(2) };
    await expect(open(grey(4), planes)).rejects.toThrow('YCbCr JPEG of 3 samples');
  });
});
