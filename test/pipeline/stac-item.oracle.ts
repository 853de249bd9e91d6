import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { z } from 'zod';
import { gdalPython } from '../support/gdal-python.ts';
import { pythonEnvironment } from '../support/python-environment.ts';
import { describeWith } from '../support/requirements.ts';
import { readJson, runCommand } from '../support/run-command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { MODIS, NDVI_SCENES, ndviPipeline } from './ndvi-scenes.ts';

const Position = z.tuple([z.number(), z.number()]);
const Item = z.looseObject({
  bbox: z.tuple([z.number(), z.number(), z.number(), z.number()]),
  geometry: z.object({ coordinates: z.tuple([z.array(Position)]) }),
  properties: z.looseObject({
    datetime: z.string(),
    'proj:code': z.string().nullable(),
    'proj:shape': Position,
    'proj:transform': z.array(z.number()),
    'proj:bbox': z.array(z.number()),
  }),
  assets: z.record(
    z.string(),
    z.looseObject({
      href: z.string(),
      'file:size': z.number(),
      'file:checksum': z.string(),
      bands: z
        .array(
          z.looseObject({
            statistics: z.looseObject({
              minimum: z.number(),
              maximum: z.number(),
              mean: z.number(),
              stddev: z.number(),
            }),
          }),
        )
        .optional(),
    }),
  ),
});

const Facts = z.object({
  size: Position,
  geotransform: z.tuple([z.number(), z.number(), z.number(), z.number(), z.number(), z.number()]),
  code: z.string().nullable(),
  statistics: z.tuple([z.number(), z.number(), z.number(), z.number()]),
  outsideBox: z.number(),
  outsideRing: z.number(),
  beyond: z.array(z.number()),
});

interface Scene {
  readonly name: string;
  readonly file: string;
  readonly raw: unknown;
  readonly item: z.infer<typeof Item>;
  readonly facts: z.infer<typeof Facts>;
}

/** pystac's own copies of the core schemas; a schema that is not among them, or one of an extension, is not fetched. */
const VALIDATE = `
import json, socket, sys
from pystac import STACObjectType
from pystac.validation import RegisteredValidator
def refuse(*_): raise OSError('no network in this test')
socket.socket.connect = refuse
validator = RegisteredValidator.get_validator()
for item in json.loads(sys.argv[1]):
    validator.validate_core(item, STACObjectType.ITEM, '1.1.0')
    print(item['id'])
`;

const execute = promisify(execFile);
const validate = async (items: readonly unknown[]): Promise<string[]> => {
  const python = await pythonEnvironment('pystac[validation]==1.15.2');
  const { stdout } = await execute(python, ['-c', VALIDATE, JSON.stringify(items)]);
  return stdout.trim().split('\n');
};

const CASES = [
  ...NDVI_SCENES.filter(({ name }) => name === 'sentinel-2' || name === 'landsat 7').map((scene) => ({
    scene,
    dstCrs: 'EPSG:3857',
  })),
  { scene: MODIS, dstCrs: 'source' },
  { scene: MODIS, dstCrs: 'EPSG:4326' },
];

jest.setTimeout(240_000);

describeWith(['shared data', 'GDAL', 'Python'], 'the STAC items of real scenes', () => {
  const folder = temporaryFolder();
  const scenes: Scene[] = [];

  beforeAll(async () => {
    const found = [];
    for (const [index, { scene, dstCrs }] of CASES.entries()) {
      const place = join(folder.path, String(index));
      mkdirSync(place);
      const pipeline = ndviPipeline(scene, { dst_crs: dstCrs, tile_px: 256, grid: '2x2' });
      const run = await runCommand(place, pipeline, scene.red.file);
      const raw = await readJson(run.item);
      found.push({
        name: `${scene.name} in ${dstCrs}`,
        file: run.item,
        mosaic: run.mosaic,
        raw,
        item: Item.parse(raw),
      });
    }
    const tasks = found.map(({ mosaic, item }) => ({ mosaic, bbox: item.bbox, ring: item.geometry.coordinates[0] }));
    const program = readFileSync(new URL('gdal/item_facts.py', import.meta.url), 'utf8');
    const facts = z.array(Facts).parse(await gdalPython(program, tasks));
    for (const [index, scene] of found.entries()) {
      const fact = facts[index];
      if (fact !== undefined) scenes.push({ ...scene, facts: fact });
    }
  });
  afterAll(() => folder.remove());

  it("are valid by STAC 1.1's own schemas", async () => {
    expect(await validate(scenes.map(({ raw }) => raw))).toHaveLength(CASES.length);
  });

  it('would not be valid without a datetime', async () => {
    const [first] = scenes;
    const broken = { ...first?.item, properties: { ...first?.item.properties, datetime: undefined } };
    await expect(validate([broken])).rejects.toThrow(/datetime/);
  });

  it('place the mosaic where GDAL does: code, shape, transform and box of its own CRS', () => {
    for (const { item, facts } of scenes) {
      const [x, dx, , y, , dy] = facts.geotransform;
      const [width, height] = facts.size;
      expect(item.properties).toMatchObject({
        'proj:code': facts.code === null ? null : `EPSG:${facts.code}`,
        'proj:shape': [height, width],
        'proj:transform': [dx, 0, x, 0, dy, y],
      });
      for (const [index, edge] of [x, y + height * dy, x + width * dx, y].entries()) {
        expect(item.properties['proj:bbox'][index]).toBeCloseTo(edge, 6);
      }
    }
  });

  it("have a box and an outline around every pixel's longitude and latitude, and hardly more", () => {
    for (const { name, facts } of scenes) {
      expect({ name, outsideBox: facts.outsideBox, outsideRing: facts.outsideRing }).toEqual({
        name,
        outsideBox: 0,
        outsideRing: 0,
      });
      for (const pixels of facts.beyond) expect(Math.abs(pixels)).toBeLessThan(0.5);
    }
  });

  it("have GDAL's statistics, merged from the windows'", () => {
    for (const { item, facts } of scenes) {
      const found = item.assets['mosaic']?.bands?.[0]?.statistics;
      for (const [index, value] of [found?.minimum, found?.maximum, found?.mean, found?.stddev].entries()) {
        expect(Math.abs((value ?? Number.NaN) - (facts.statistics[index] ?? Number.NaN))).toBeLessThan(1e-7);
      }
    }
  });

  it('know the size and checksum of each file beside them', () => {
    for (const { file, item } of scenes) {
      for (const asset of Object.values(item.assets)) {
        const path = join(dirname(file), asset.href);
        expect(asset['file:size']).toBe(statSync(path).size);
        const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
        expect(asset['file:checksum']).toBe(`1220${sha256}`);
      }
    }
  });
});
