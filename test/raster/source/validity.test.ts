import { describe, expect, test } from '@jest/globals';
import { openSource } from '../../../lambda/raster/source/open-source.ts';
import { BytesReader } from '../../support/bytes-reader.ts';
import type { TiffImage } from '../../support/tiff-builder.ts';
import { ascii, buildTiff, imageTags, long, short } from '../../support/tiff-builder.ts';

const open = (images: readonly TiffImage[]) => openSource(new BytesReader('B04.tif', buildTiff(images)));
const whole = { x: 0, y: 0, width: 4, height: 2 };
const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

describe('what is not valid is NaN', () => {
  const one = (values: number[], tags = {}): TiffImage => ({
    tags: { ...imageTags(4, 2, 8), ...tags },
    blocks: [Uint8Array.from(values)],
  });

  test('nodata by the file’s tag, by the call, or by neither', async () => {
    const source = await open([one([0, 1, 2, 0, 0, 5, 6, 7], { 42113: ascii('0') })]);
    const read = async (options?: { nodata?: number | null }) => [
      ...((await source.readWindow([1], whole, 0, options))[0] ?? []),
    ];
    expect(source.nodata).toBe(0);
    expect(await read()).toEqual([NaN, 1, 2, NaN, NaN, 5, 6, 7]);
    expect(await read({ nodata: 5 })).toEqual([0, 1, 2, 0, 0, NaN, 6, 7]);
    expect(await read({ nodata: null })).toEqual([0, 1, 2, 0, 0, 5, 6, 7]);
    expect(await read({ nodata: -9999 })).toEqual([0, 1, 2, 0, 0, 5, 6, 7]);
  });

  test('nodata scattered over a long row', async () => {
    const values = range(256).map((at) => at % 3);
    const tags = { ...imageTags(256, 1, 8), 42113: ascii('1') };
    const source = await open([{ tags, blocks: [Uint8Array.from(values)] }]);
    const [pixels] = await source.readWindow([1], { x: 0, y: 0, width: 256, height: 1 }, 0);
    expect([...(pixels ?? [])]).toEqual(values.map((value) => (value === 1 ? NaN : value)));
  });

  test('blocks that the file leaves out hold nodata, or 0 where there is none', async () => {
    const tags = { ...imageTags(4, 2, 8), 278: short(1) };
    const blocks = [null, Uint8Array.from([1, 2, 3, 4])];
    const plain = await open([{ tags, blocks }]);
    expect([...((await plain.readWindow([1], whole, 0))[0] ?? [])]).toEqual([0, 0, 0, 0, 1, 2, 3, 4]);
    const marked = await open([{ tags: { ...tags, 42113: ascii('3') }, blocks }]);
    expect([...((await marked.readWindow([1], whole, 0))[0] ?? [])]).toEqual([NaN, NaN, NaN, NaN, 1, 2, NaN, 4]);
    const other = await marked.readWindow([1], whole, 0, { nodata: 1 });
    expect([...(other[0] ?? [])]).toEqual([3, 3, 3, 3, NaN, 2, 3, 4]);
  });

  const pixels4 = [10, 11, 12, 0, 20, 21, 22, 255, 30, 31, 32, 1, 40, 41, 42, 0];
  const rgba = (extra: Record<number, ReturnType<typeof short>>): TiffImage => ({
    tags: { ...imageTags(4, 1, 8, 4), 262: short(2), ...extra },
    blocks: [Uint8Array.from(pixels4)],
  });
  const row = { x: 0, y: 0, width: 4, height: 1 };

  test.each([1, 2])('where an alpha sample (ExtraSamples %i) is 0, but for the alpha band itself', async (kind) => {
    const source = await open([rgba({ 338: short(kind) })]);
    const [red, alpha] = await source.readWindow([1, 4], row, 0);
    expect([...(red ?? [])]).toEqual([NaN, 20, 30, NaN]);
    expect([...(alpha ?? [])]).toEqual([0, 255, 1, 0]);
  });

  test.each([{ 338: short(0) }, {}])('never for a mere fourth band (%j)', async (extra) => {
    const [red] = await (await open([rgba(extra)])).readWindow([1], row, 0);
    expect([...(red ?? [])]).toEqual([10, 20, 30, 40]);
  });

  const mask = (width: number, height: number, kind: number, bytes: number[]): TiffImage => ({
    tags: { ...imageTags(width, height, 1), 254: long(kind), 262: short(4) },
    blocks: [Uint8Array.from(bytes)],
  });

  test('where an internal mask says so, on every level by its own mask', async () => {
    const overview = { tags: { ...imageTags(2, 1, 8), 254: long(1) }, blocks: [Uint8Array.of(50, 60)] };
    const source = await open([
      one(range(8)),
      mask(4, 2, 4, [0b1010_0000, 0b1111_0000]),
      overview,
      mask(2, 1, 5, [0b0100_0000]),
    ]);
    expect(source.levels).toEqual([
      { width: 4, height: 2, reduced: false },
      { width: 2, height: 1, reduced: true },
    ]);
    expect([...((await source.readWindow([1], whole, 0))[0] ?? [])]).toEqual([0, NaN, 2, NaN, 4, 5, 6, 7]);
    expect([...((await source.readWindow([1], { x: 0, y: 0, width: 2, height: 1 }, 1))[0] ?? [])]).toEqual([NaN, 60]);
  });

  test('an overview whose mask is missing is not used where the image has one', async () => {
    const overview = { tags: { ...imageTags(2, 1, 8), 254: long(1) }, blocks: [Uint8Array.of(50, 60)] };
    const source = await open([one(range(8)), mask(4, 2, 4, [0xf0, 0xf0]), overview]);
    expect(source.levels).toHaveLength(1);
  });
});
