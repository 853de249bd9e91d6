import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { z } from 'zod';
import { openSource } from '../../../lambda/raster/source/open-source.ts';
import type { FloatPixels } from '../../../lambda/raster/types.ts';
import { BytesReader } from '../../support/bytes-reader.ts';
import { gdalPython } from '../../support/gdal-python.ts';
import { describeWith } from '../../support/requirements.ts';
import { type CommandRun, runCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { faultsOf } from '../odd/faults.ts';
import { makeReferences, referencePixels } from '../odd/gdal-reference.ts';
import type { ReferenceCase } from '../odd/gdal-reference.ts';
import { compare } from '../warp/gdal.ts';
import type { Comparison } from '../warp/gdal.ts';
import { RESOLUTION, classScene, colourScene, extentOf, floatScene } from './seam-scenes.ts';

jest.setTimeout(300_000);

const BLOCK = 64;
/** A column where windows of one block and of two meet, amid the scene. */
const BORDER = 4 * BLOCK;

const PRODUCTS = [
  {
    product: 'float32',
    scene: floatScene,
    bands: ['a'],
    fields: { dtype: 'float32' },
    resampling: 'bilinear',
    overviews: 'average',
  },
  {
    product: 'RGB',
    scene: colourScene,
    bands: ['r', 'g', 'b'],
    fields: { color: 'rgb' },
    resampling: 'bilinear',
    overviews: 'average',
  },
  {
    product: 'classes',
    scene: classScene,
    bands: ['c'],
    fields: { dtype: 'uint8', nodata: 0 },
    resampling: 'nearest',
    overviews: 'mode',
  },
] as const;

/** Sides that are even and such that are odd, some on all levels of the overviews. */
const SIZES = [
  [512, 448],
  [523, 461],
] as const;
/** As many windows as there are blocks, and four by four of them. */
const GRIDS = [
  { title: 'windows of one block', grid: '20x20' },
  { title: 'windows of two blocks and more', grid: '4x4' },
] as const;

/**
 * Of every level of a mosaic: pixels, of all bands, that are not those of GDAL's COG driver and of gdaladdo over the
 * mosaic's own full resolution. With `altered`, after one pixel of each level was changed. The COG driver rounds halves of
 * odd sides down and has other levels then: -1.
 */
const COMPARE_OVERVIEWS = `
import json, sys
import numpy as np
from osgeo import gdal
gdal.UseExceptions()
def levels_of(ds):
    bands = [ds.GetRasterBand(i + 1) for i in range(ds.RasterCount)]
    return [np.stack([(b.GetOverview(l) if l >= 0 else b).ReadAsArray() for b in bands]) for l in range(-1, bands[0].GetOverviewCount())]
def different(a, b):
    return a.size if a.shape != b.shape else int(np.sum(~((a == b) | ((a != a) & (b != b)))))
found = []
for case in json.loads(sys.argv[1]):
    method, block = case['method'].upper(), str(case['block'])
    ours = gdal.Open(case['file'])
    cog, addo = case['file'] + '.cog.tif', case['file'] + '.addo.tif'
    gdal.Translate(cog, ours, format='COG', creationOptions=['OVERVIEWS=IGNORE_EXISTING', 'OVERVIEW_RESAMPLING=' + method, 'BLOCKSIZE=' + block, 'COMPRESS=DEFLATE'])
    gdal.GetDriverByName('GTiff').CreateCopy(addo, ours, options=['COPY_SRC_OVERVIEWS=NO', 'TILED=YES', 'BLOCKXSIZE=' + block, 'BLOCKYSIZE=' + block])
    mine = levels_of(ours)
    with_overviews = gdal.Open(addo, gdal.GA_Update)
    with_overviews.BuildOverviews(method, [2 ** (l + 1) for l in range(len(mine) - 1)])
    with_overviews = None
    if case['altered']:
        for level in mine: level[0, level.shape[1] // 2, level.shape[2] // 2] = 201
    result = {'sizes': [list(level.shape[:0:-1]) for level in mine]}
    for name, file in (('cog', cog), ('gdaladdo', addo)):
        theirs = levels_of(gdal.Open(file))
        result[name] = [different(a, b) for a, b in zip(mine, theirs)]
    if any(side % 2 for level in result['sizes'][:-1] for side in level): result['cog'] = [-1 for _ in mine]
    found.append(result)
print(json.dumps(found))
`;

const Overviews = z.array(
  z.object({
    /** Columns and rows. */
    sizes: z.array(z.tuple([z.number(), z.number()])),
    cog: z.array(z.number()),
    gdaladdo: z.array(z.number()),
  }),
);

const CASES = PRODUCTS.flatMap((product) =>
  SIZES.flatMap(([width, height]) =>
    GRIDS.map((grid) => ({ ...product, ...grid, width, height, name: `${product.product} ${width} x ${height}` })),
  ),
);
type Case = (typeof CASES)[number];

describeWith(['GDAL'], 'a scene cut into windows, warped and put together', () => {
  const sources = temporaryFolder();
  const folder = temporaryFolder();
  const mosaics = new Map<Case, readonly FloatPixels[]>();
  const runs = new Map<Case, CommandRun>();
  const references = new Map<string, ReferenceCase>();

  beforeAll(async () => {
    for (const given of CASES) {
      const scene = join(sources.path, `${given.name}.tif`);
      writeFileSync(scene, given.scene());
      const place = join(folder.path, `${given.name}, ${given.title}`);
      mkdirSync(place);
      const run = await runCommand(place, pipelineOf(given), scene);
      runs.set(given, run);
      const mosaic = await openSource(new BytesReader('mosaic.tif', new Uint8Array(readFileSync(run.mosaic))));
      const grid = mosaic.grid();
      const rect = { x: 0, y: 0, width: grid.width, height: grid.height };
      const bands = given.bands.map((_, index) => index + 1);
      mosaics.set(given, await mosaic.readWindow(bands, rect, 0));
      references.set(given.name, {
        file: `${given.name}.tif`,
        crs: 'EPSG:3857',
        resampling: given.resampling === 'nearest' ? 'near' : 'bilinear',
        grid: { width: rect.width, height: rect.height, geotransform: grid.geotransform },
        windows: [rect],
      });
    }
    makeReferences(sources.path, folder.path, [...references.values()]);
  });
  afterAll(() => {
    sources.remove();
    folder.remove();
  });

  /** What a mosaic's full resolution has beyond the tolerances, a band each. */
  const faults = (
    given: Case,
    change: (pixels: FloatPixels) => FloatPixels = (pixels) => pixels,
  ): readonly object[] => {
    const reference = references.get(given.name);
    if (reference === undefined) throw new Error(`${given.name} was not made`);
    const expected = expectedBands(
      given.bands.map((_, index) => referencePixels(folder.path, reference, 0, index + 1)),
      given,
    );
    return (mosaics.get(given) ?? []).map((pixels, band) => {
      const wanted = expected[band] ?? new Float64Array(0);
      return faultsOf(comparison(change(pixels), wanted, given), reference);
    });
  };

  it('is cut as its case says, with windows beyond the scene left empty', () => {
    const found = [...runs].map(([{ width, height, title }, { windows, empty }]) => ({
      windows,
      wanted: title === 'windows of one block' ? Math.ceil(width / BLOCK) * Math.ceil(height / BLOCK) : 16,
      // The first column, at least.
      empty: title !== 'windows of one block' || empty >= Math.ceil(height / BLOCK),
    }));
    expect(found).toEqual(found.map(({ wanted }) => ({ windows: wanted, wanted, empty: true })));
  });

  it.each(CASES)('is gdalwarp’s of the whole at full resolution: $name, $title', (given) => {
    const [pixels = []] = mosaics.get(given) ?? [];
    expect(pixels).toHaveLength(given.width * given.height);
    expect(faults(given)).toEqual(given.bands.map(() => ({})));
  });

  it.each(CASES.filter(({ product }) => product === 'float32'))(
    'would be found another with a border of windows displaced by a tenth of a pixel: $name, $title',
    (given) => {
      const [found] = faults(given, (pixels) =>
        pixels.map((value, i) => (i % given.width === BORDER ? value + 0.1 * ((pixels[i + 1] ?? 0) - value) : value)),
      );
      expect(Object.keys(found ?? {})).toContain('max');
    },
  );

  it('has at every level the overviews that GDAL makes of its full resolution, by COG driver and gdaladdo', async () => {
    const input = CASES.map((given) => ({
      file: runs.get(given)?.mosaic,
      method: given.overviews,
      block: BLOCK,
      altered: false,
    }));
    const found = Overviews.parse(await gdalPython(COMPARE_OVERVIEWS, input));
    expect(found).toEqual(
      CASES.map(({ width, height }) => {
        const sizes = levelSizes(width, height);
        const halves = sizes.slice(0, -1).every((sides) => sides.every((side) => side % 2 === 0));
        return { sizes, cog: sizes.map(() => (halves ? 0 : -1)), gdaladdo: sizes.map(() => 0) };
      }),
    );
  });

  it('would be found to have others by a single pixel of each level, or by another method', async () => {
    const [given] = CASES;
    if (given === undefined) throw new Error('no case');
    const common = { file: runs.get(given)?.mosaic, block: BLOCK };
    const found = Overviews.parse(
      await gdalPython(COMPARE_OVERVIEWS, [
        { ...common, method: given.overviews, altered: true },
        { ...common, method: 'mode', altered: false },
      ]),
    );
    const [altered, mode] = found;
    expect(altered?.cog).toEqual(levelSizes(given.width, given.height).map(() => 1));
    expect(altered?.gdaladdo).toEqual(altered?.cog);
    expect(mode?.cog[0]).toBe(0);
    expect(Math.min(...(mode?.cog.slice(1) ?? []))).toBeGreaterThan(0);
  });
});

const pipelineOf = ({ bands, fields, resampling, overviews, width, height, grid }: Case): object => ({
  pipeline: 'seams',
  version: '1',
  bands: Object.fromEntries(bands.map((name, index) => [name, { band: index + 1 }])),
  outputs: bands.map((name) => ({ name, expression: name })),
  dst_crs: 'EPSG:3857',
  extent: extentOf(width, height),
  resolution: String(RESOLUTION),
  tile_px: BLOCK,
  grid,
  resampling,
  overviews,
  ...fields,
});

/** GDAL's bands; of a picture none has data where one has none. */
const expectedBands = (bands: readonly Float64Array[], { product }: Case): readonly Float64Array[] => {
  if (product !== 'RGB') return bands;
  return bands.map((band) =>
    band.map((value, i) => {
      const sum = bands.reduce((total, other) => total + (other[i] ?? 0), 0);
      // Any NaN makes the sum NaN.
      return sum === sum ? value : NaN;
    }),
  );
};

/** Whole numbers may be half a unit from what they were rounded from, and are compared by what they are off beyond that. */
const comparison = (actual: FloatPixels, expected: Float64Array, { product }: Case): Comparison => {
  if (product !== 'RGB') return compare(actual, expected);
  const { abs, max, sign } = Math;
  const beyond = Float64Array.from(actual, (value, i) => {
    const wanted = expected[i] ?? 0;
    const off = value - wanted;
    // Where one has no data and the other does, the value says so.
    return off === off ? wanted + sign(off) * max(0, abs(off) - 0.5) : value;
  });
  return compare(beyond, expected);
};

/** The mosaic's size, and those of its overviews, until one fits a block. */
const levelSizes = (width: number, height: number): [number, number][] => {
  const sizes: [number, number][] = [[width, height]];
  for (let [x, y] = [width, height]; x > BLOCK || y > BLOCK;) {
    [x, y] = [Math.ceil(x / 2), Math.ceil(y / 2)];
    sizes.push([x, y]);
  }
  return sizes;
};
