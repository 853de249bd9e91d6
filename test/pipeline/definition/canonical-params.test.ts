import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from '../../../lambda/identity/job-key.ts';
import { canonicalParams } from '../../../lambda/pipeline/definition/canonical-params.ts';
import type { LaterField } from '../../../lambda/pipeline/definition/canonical-params.ts';
import { PIXEL_VERSION } from '../../../lambda/pipeline/definition/pixel-version.ts';
import { decimalText } from '../../../lambda/pipeline/definition/decimal.ts';
import { parsePipeline } from '../../../lambda/pipeline/definition/parse-pipeline.ts';
import type { Pipeline } from '../../../lambda/pipeline/definition/pipeline.ts';

const FILE = {
  pipeline: 'ndvi-tiler',
  version: '3.2.0',
  bands: { B04: { suffix: 'B04.tif', scale: 0.0001 }, B08: { suffix: 'B08.tif', nodata: -9999 } },
  expression: '(B08 - B04) / (B08 + B04)',
  dst_crs: 'EPSG:3857',
  resolution: 10,
};
const pipeline = (fields: Record<string, unknown> = {}): Pipeline =>
  parsePipeline(JSON.stringify({ ...FILE, ...fields }), 'p.json');
const hashed = (fields: Record<string, unknown> = {}): string => canonicalJson(canonicalParams(pipeline(fields)));

describe('what is hashed of a pipeline', () => {
  it('is this text, which no later version may change', () => {
    expect(hashed()).toBe(
      '{"algo":1,"bands":{' +
        '"B04":{"band":1,"nodata":null,"offset":null,"path":"{scene}B04.tif","resampling":"bilinear","scale":"0.0001","unscaled":false},' +
        '"B08":{"band":1,"nodata":"-9999","offset":null,"path":"{scene}B08.tif","resampling":"bilinear","scale":null,"unscaled":false}},' +
        '"color":null,"compression":"deflate","datetime":null,"dst_crs":"EPSG:3857","dtype":"float32","grid":"20x20","mask":null,' +
        '"namespace":"default","nodata":"nan",' +
        '"outputs":[{"expression":"(B08 - B04) / (B08 + B04)","name":"ndvi-tiler","offset":null,"scale":null,"unit":null}],' +
        '"overviews":"average","pipeline":"ndvi-tiler","pixel_version":1,' +
        '"target":{"align":true,"kind":"resolution","resolution":10},"tile_px":512,"version":"3.2.0"}',
    );
  });

  it('does not depend on how the file is written', () => {
    const { bands, ...rest } = FILE;
    const text = `// another hand
      ${JSON.stringify({ ...rest, bands: Object.fromEntries(Object.entries(bands).toReversed()) }, null, 4)}`;
    expect(canonicalJson(canonicalParams(parsePipeline(text, 'q.json')))).toBe(hashed());
  });

  it.each([
    [{ dst_crs: 'epsg:3857' }],
    [{ dst_crs: 'urn:ogc:def:crs:EPSG::3857' }],
    [{ resolution: '10' }],
    [{ resolution: '10.0' }],
    [{ resolution: '1e1' }],
    [{ expression: ' (B08  -  B04) / (B08 + B04) ' }],
    [{ nodata: 'NaN', dtype: 'float32', tile_px: 512, grid: '20x20', namespace: 'default', align: true }],
    [
      {
        bands: { B04: { path: '{scene}B04.tif', scale: '1e-4' }, B08: { suffix: 'B08.tif', nodata: '-9999', band: 1 } },
      },
    ],
    [{ trigger: '{scene}_MTL.json' }],
    [{ $schema: './pipeline.schema.json' }],
  ])('is the same with %j', (fields) => {
    expect(hashed(fields)).toBe(hashed());
  });

  it.each([
    [{ version: '3.2.1' }],
    [{ namespace: 'staging' }],
    [{ compression: 'zstd' }],
    [{ resampling: 'cubic' }],
    [{ overviews: 'mode' }],
    [{ mask: 'B04 > 1' }],
    [{ nodata: -1 }],
    [{ nodata: null }],
    [{ align: false }],
    [{ grid: '20x21' }],
    [{ datetime: String.raw`(\d{8})` }],
    [{ resolution: '10.5' }],
    [{ bands: { ...FILE.bands, B04: { suffix: 'B04.tif' } } }],
  ])('differs with %j', (fields) => {
    expect(hashed(fields)).not.toBe(hashed());
  });

  it('keeps the order of the outputs', () => {
    const outputs = [
      { name: 'a', expression: 'B04 + B08' },
      { name: 'b', expression: 'B08' },
    ];
    const ordered = hashed({ expression: undefined, outputs });
    expect(hashed({ expression: undefined, outputs: outputs.toReversed() })).not.toBe(ordered);
  });

  it('holds no number that is not whole', () => {
    const odd = hashed({ extent: [0.1, 1e-7, 1e21, 12345678901234567000], resolution: 0.25, nodata: 1e-3 });
    expect(odd).toContain('"extent":["0.1","0.0000001","1000000000000000000000","12345678901234567000"]');
    expect(odd.replaceAll(/"(?:[^"\\]|\\.)*"/gu, '')).not.toMatch(/\d[.e]/);
  });

  it('has a field that came later only where it is not its default', () => {
    const later: LaterField[] = [
      { name: 'sharpen', value: ({ version }) => (version === '3.2.0' ? 0 : 2), byDefault: 0 },
    ];
    expect(canonicalParams(pipeline(), PIXEL_VERSION, later)).toEqual(canonicalParams(pipeline()));
    expect(canonicalParams(pipeline({ version: '4' }), PIXEL_VERSION, later)).toMatchObject({ sharpen: 2 });
  });
});

describe('decimal text', () => {
  it.each([
    [0, '0'],
    [-0, '0'],
    [0.0001, '0.0001'],
    [1e-7, '0.0000001'],
    [-1.5e-10, '-0.00000000015'],
    [1e21, '1000000000000000000000'],
    [-3.4028234663852886e38, '-340282346638528860000000000000000000000'],
    [1.25e22, '12500000000000000000000'],
    [12.5, '12.5'],
  ])('of %d is %s', (value, text) => {
    expect(decimalText(value)).toBe(text);
    expect(Number(text)).toBe(value + 0);
  });
});
