import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RESAMPLINGS } from '../../../lambda/raster/types.ts';
import { computedScene } from '../odd/computed-scene.ts';
import { buildTiff, double, GEOREFERENCE, imageTags, sampleBytes } from '../../support/tiff-builder.ts';
import type { SampleKind } from '../../support/tiff-builder.ts';

/** The ends of each type, where rounding would overflow, and a value between. */
const CONSTANTS: Readonly<Record<Exclude<SampleKind, 'uint64' | 'int64'>, readonly number[]>> = {
  uint8: [0, 254, 77],
  int8: [-127, 127, 5],
  uint16: [0, 65_534, 1234],
  int16: [-32_767, 32_767, -1],
  uint32: [0, 4_294_967_294, 16_777_217],
  int32: [-2_147_483_647, 2_147_483_647, 16_777_217],
  float32: [0, Math.fround(0.1), Math.fround(3e38)],
  float64: [0, 0.1, -1e300],
};
const FORMAT = { u: 1, i: 2, f: 3 } as const;

function constantTiff(kind: SampleKind, value: number, width: number, height: number, pixel: number) {
  const bits = Number(kind.replace(/\D+/, ''));
  const format = kind.startsWith('u') ? FORMAT.u : kind.startsWith('i') ? FORMAT.i : FORMAT.f;
  const tags = { ...imageTags(width, height, bits, 1, format), ...GEOREFERENCE, 33_550: double(pixel, pixel, 0) };
  return buildTiff([
    {
      tags,
      blocks: [
        sampleBytes(
          Array.from({ length: width * height }, () => value),
          kind,
        ),
      ],
    },
  ]);
}

describe('A scene of one value', () => {
  it.each(Object.entries(CONSTANTS))(
    'has that value alone after any warp: %s',
    async (kind, values) => {
      const type = Object.keys(CONSTANTS).find((name): name is keyof typeof CONSTANTS => name === kind);
      if (type === undefined) throw new Error(`no type ${kind}`);
      const anyCase = fc.record({
        value: fc.constantFrom(...values),
        resampling: fc.constantFrom(...RESAMPLINGS),
        crs: fc.constantFrom('EPSG:32631', 'EPSG:3857', 'EPSG:4326', 'EPSG:32632'),
        width: fc.integer({ min: 1, max: 24 }),
        height: fc.integer({ min: 1, max: 24 }),
        // Coarser and finer than the source's 100 m, by what is no whole number.
        factor: fc.constantFrom(0.6, 0.9, 1, 1.7, 6.1),
      });
      // A pixel larger than the scene is refused; other systems stretch it a little.
      const cases = anyCase.filter(({ width, height, factor }) => Math.max(width, height) >= 1.1 * factor);
      await fc.assert(
        fc.asyncProperty(cases, async ({ value, resampling, crs, width, height, factor }) => {
          const metres = 100 * factor;
          const resolution = String(crs === 'EPSG:4326' ? metres / 111_320 : metres);
          const bytes = constantTiff(type, value, width, height, 100);
          const fields = { dst_crs: crs, resolution, resampling, tile_px: 16, grid: '3x3', dtype: type };
          const { windows } = await computedScene('constant.tif', bytes, 1, fields);
          const nodata = fields.dtype.startsWith('f') ? Number.NaN : NODATA[type];
          const found = new Set(windows.flatMap(({ bands }) => [...(bands?.[0] ?? [])]));
          const foreign = [...found].filter((pixel) => !Object.is(pixel, nodata) && !near(pixel, value, type));
          expect({ foreign, resampling, crs, factor }).toEqual({ foreign: [], resampling, crs, factor });
          // Only scenes of a pixel or two may fall between the centres of a coarse grid.
          const large = width >= 20 && height >= 20;
          expect(!large || [...found].some((pixel) => near(pixel, value, type))).toBe(true);
        }),
        { numRuns: 15, seed: 7 },
      );
    },
    60_000,
  );
});

/** The default nodata of integer outputs; no constant above is one. */
const NODATA: Readonly<Record<string, number>> = {
  uint8: 255,
  int8: -128,
  uint16: 65_535,
  int16: -32_768,
  uint32: 4_294_967_295,
  int32: -2_147_483_648,
};

/** Integers exactly; floats to within the rounding of a weighted sum. */
const near = (pixel: number, value: number, type: string): boolean =>
  type.startsWith('f')
    ? Math.abs(pixel - value) <= Math.abs(value) * (type === 'float32' ? 1e-6 : 1e-14)
    : pixel === value;
