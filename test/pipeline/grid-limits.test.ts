import { describe, expect, it } from '@jest/globals';
import { TileonceError } from '../../lambda/errors.ts';
import { windowCount, windowGrid } from '../../lambda/identity/grid.ts';
import type { GridDefinition, Pipeline } from '../../lambda/pipeline/definition/pipeline.ts';
import { MOST_BLOCKS, MOST_WINDOWS, refuseTooLarge } from '../../lambda/pipeline/grid-limits.ts';

const FINE: GridDefinition = { kind: 'resolution', resolution: 1e-6, align: true };

const check = (width: number, height: number, parts: Partial<Pipeline> = {}): void =>
  refuseTooLarge(
    { width, height },
    {
      tilePx: 512,
      windows: { rows: 20, columns: 20 },
      grid: FINE,
      dstCrs: 'EPSG:3857',
      ...parts,
    },
  );

describe('the size of a scene', () => {
  it('may be what 10,000 windows hold', () => {
    expect(windowCount(windowGrid({ width: 409_600, height: 409_600 }, 512, { rows: 20, columns: 20 }))).toBe(
      MOST_WINDOWS,
    );
    expect(() => check(409_600, 409_600)).not.toThrow();
    expect(() => check(999 * 4096, 10 * 4096, { windows: { rows: 1, columns: 1 } })).not.toThrow();
  });

  it.each<[string, number, number, Partial<Pipeline>, RegExp]>([
    [
      'a resolution too fine',
      385_142_388,
      386_388_012,
      {},
      /^the output would be 385142388 x 386388012 px, in 94334 x 94029 windows of at most 4096 x 4096 px; a scene may have 10000, and 999 a side: set a coarser "resolution" than 0\.000001 \(in units of EPSG:3857\), or a smaller "extent"$/,
    ],
    ['one more window', 409_600, 409_600 + 512, {}, /in 101 x 100 windows/],
    ['a strip', 1000 * 4096, 100, {}, /in 1 x 1000 windows.*, and 999 a side/],
    ['an extent', 1e9, 1e9, { grid: { kind: 'extent', extent: [0, 0, 1, 1], resolution: 1e-9, align: false } }, /1e-9/],
    ['a zoom level', 1e7, 1e7, { grid: { kind: 'tms', tms: 'WebMercatorQuad', zoom: 24 } }, /a lower "zoom" than 24$/],
    ['a suggestion', 1e12, 20, { grid: { kind: 'suggested' } }, /a "dst_crs" that suits the scene$/],
    ['more than numbers count', 1e300, 1e300, {}, /coarser/],
    [
      'too many windows asked for',
      2e5,
      2e5,
      { windows: { rows: 300, columns: 300 } },
      /: ask for fewer windows in "grid"$/,
    ],
    ['blocks too small', 80_000, 80_000, { tilePx: 16 }, /25000000 blocks of 16 px.*larger "tile_px"$/],
  ])('is refused at once: %s', (_, width, height, parts, says) => {
    let line = '';
    try {
      check(width, height, parts);
    } catch (error) {
      line = error instanceof TileonceError ? error.oneLine : String(error);
    }
    expect(line).toMatch(says);
  });

  it('leaves a header that is read again', () => {
    // Places and lengths of 8 bytes each, against what read-cog.ts takes of a tag.
    expect(MOST_BLOCKS * 8).toBeLessThanOrEqual(2 ** 28);
  });
});
