import { describe, expect, it } from '@jest/globals';
import { parsePipeline } from '../../../lambda/pipeline/definition/parse-pipeline.ts';
import { PipelineFileError } from '../../../lambda/pipeline/definition/pipeline-file-error.ts';

const EXAMPLE = `{ "pipeline": "ndvi-tiler", "version": "3.2.0",
  "bands": { "B04": { "suffix": "B04.tif" }, "B08": { "suffix": "B08.tif", "band": 1 } },
  "expression": "(B08 - B04) / (B08 + B04)",
  "dst_crs": "epsg:3857", // or "source"
  "resolution": "10",
  "resampling": "bilinear",
  "tile_px": 512, "grid": "20x20", "dtype": "float32", "nodata": "nan",
  "compression": "deflate", }`;

const faultsOf = (text: string): string[] => {
  try {
    parsePipeline(text, 'p.json');
  } catch (error) {
    if (!(error instanceof PipelineFileError)) throw error;
    return error.problems.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);
  }
  return [];
};

/** Faults of a small file with some fields of its own, without their places. */
const faultsWith = (fields: Record<string, unknown>): string[] =>
  faultsOf(JSON.stringify({ pipeline: 'p', version: '1', bands: { a: {} }, expression: 'a', ...fields })).map((fault) =>
    fault.replace(/^\d+:\d+ /u, ''),
  );

const withFields = (fields: Record<string, unknown>) =>
  parsePipeline(
    JSON.stringify({ pipeline: 'p', version: '1', bands: { a: {} }, expression: 'a', ...fields }),
    'p.json',
  );

describe('a pipeline file', () => {
  it('is JSON with comments, and says all that there is to know of a pipeline', () => {
    const usual = { resampling: 'bilinear', nodata: null, scale: null, offset: null, unscaled: false, band: 1 };
    expect(parsePipeline(EXAMPLE, 'ndvi.json')).toEqual({
      pipeline: 'ndvi-tiler',
      version: '3.2.0',
      namespace: 'default',
      bands: [
        { name: 'B04', path: '{scene}B04.tif', ...usual },
        { name: 'B08', path: '{scene}B08.tif', ...usual },
      ],
      outputs: [{ name: 'ndvi-tiler', expression: '(B08 - B04) / (B08 + B04)', scale: null, offset: null, unit: null }],
      dtype: 'float32',
      nodata: NaN,
      mask: null,
      color: null,
      dstCrs: 'EPSG:3857',
      grid: { kind: 'resolution', resolution: 10, align: true },
      tilePx: 512,
      windows: { rows: 20, columns: 20 },
      compression: 'deflate',
      overviews: 'average',
      datetime: null,
      trigger: null,
    });
  });

  it('needs no more than a name, a version, bands and an expression', () => {
    expect(withFields({})).toMatchObject({
      dstCrs: 'source',
      grid: { kind: 'suggested' },
      dtype: 'float32',
      nodata: NaN,
    });
  });

  it.each([
    [{ dtype: 'uint8' }, { nodata: 255 }],
    [{ dtype: 'int16' }, { nodata: -32768 }],
    [{ dtype: 'uint8', nodata: 0 }, { nodata: 0 }],
    [{ dtype: 'uint8', nodata: null }, { nodata: null }],
    [{ nodata: '-9999' }, { nodata: -9999 }],
    [{ nodata: 0.1 }, { nodata: Math.fround(0.1) }],
    [{ nodata: 'NaN' }, { nodata: NaN }],
    [{ resampling: 'nearest' }, { overviews: 'nearest' }],
    [{ grid: '2x30' }, { windows: { rows: 2, columns: 30 } }],
    [
      { tms: 'WebMercatorQuad', zoom: 12 },
      { dstCrs: 'EPSG:3857', grid: { kind: 'tms', tms: 'WebMercatorQuad', zoom: 12 } },
    ],
    [
      { dst_crs: 'EPSG:3857', extent: [0, '0', 10.5, 20] },
      { grid: { kind: 'extent', extent: [0, 0, 10.5, 20], resolution: null, align: false } },
    ],
    [
      { dst_crs: 'EPSG:3857', extent: [0, 0, 10, 20], resolution: 5, align: false },
      { grid: { kind: 'extent', extent: [0, 0, 10, 20], resolution: 5, align: false } },
    ],
    [
      { expression: '  a\n +  1 ', mask: ' a>1' },
      { outputs: [{ expression: 'a + 1' }], mask: 'a>1' },
    ],
    [
      {
        expression: undefined,
        outputs: [{ name: 'x', expression: 'a', dtype: 'int16', nodata: -1, scale: '0.1', unit: 'm' }],
      },
      { dtype: 'int16', nodata: -1, outputs: [{ name: 'x', expression: 'a', scale: 0.1, offset: null, unit: 'm' }] },
    ],
  ])('fills in what %j leaves open', (fields, expected) => {
    expect(withFields(fields)).toMatchObject(expected);
  });

  it('reads bands whose bits count by nearest unless it says so itself', () => {
    const bands = { QA: {}, red: {} };
    const pipeline = withFields({ bands, expression: 'red', mask: 'QA & 8 == 8', resampling: 'cubic' });
    expect(pipeline.bands.map(({ resampling }) => resampling)).toEqual(['nearest', 'cubic']);
    expect(faultsWith({ bands: { a: { resampling: 'bilinear' } }, expression: 'bit(a, 3)' })).toEqual([
      'bands.a.resampling: would blend the flags whose bits an expression reads: write "nearest" or leave it out',
    ]);
  });

  it('makes a picture of three outputs', () => {
    const outputs = ['r', 'g', 'b'].map((name) => ({ name, expression: 'a' }));
    expect(withFields({ expression: undefined, outputs, color: 'rgb' })).toMatchObject({
      dtype: 'uint8',
      nodata: null,
    });
  });

  it('gives its bands in order of name, however it has them', () => {
    const bands = { z: {}, b: {}, a: {} };
    expect(withFields({ bands, expression: 'a + b + z' }).bands.map(({ name }) => name)).toEqual(['a', 'b', 'z']);
  });
});

describe('a faulty pipeline file', () => {
  it('is told all its faults at once, each by line and column', () => {
    expect(
      faultsOf(`{
  "pipeline": "ndvi tiler", "verson": "3.2.0",
  "bands": { "B04": { "sufix": "B04.tif", "band": 0 }, "B08": {} },
  "expression": "(B08 - \\u0042O4) / (B08 + snow)",
  "resampling": "bilinar", "tile_px": 500,
  "datetime": "(", "grid": "20", "grid": "5x5",
}`),
    ).toEqual([
      '1:1 version: "version" is missing',
      '2:15 pipeline: must be letters, digits, ".", "_" and "-", at most 64, a letter or digit first',
      '2:29 verson: unknown field: did you mean "version"?',
      '3:23 bands.B04.sufix: unknown field: did you mean "suffix"?',
      '3:51 bands.B04.band: bands are counted from 1',
      '5:17 resampling: must be one of "nearest", "bilinear", "cubic", "average", not "bilinar": did you mean "bilinear"?',
      '5:39 tile_px: must be a multiple of 16',
      '6:15 datetime: not a regular expression: /(/u: Unterminated group',
      '6:34 grid: given twice',
    ]);
  });

  it('is told where inside an expression a fault is, escapes and all', () => {
    const text = `{ "pipeline": "p", "version": "1", "bands": { "B04": {} },\n  "expression": "B04 +\\u0020 snow", "mask": "B04 >" }`;
    expect(faultsOf(text)).toEqual([
      '2:30 expression: unknown name "snow" (bands: B04)',
      '2:51 mask: expected expression after >',
    ]);
  });

  it('is told what the syntax lacks', () => {
    expect(faultsOf('{ "pipeline": "p"\n  "version": "1" }')).toEqual(['2:3 : a comma is expected here']);
    expect(faultsOf('')).toEqual(['1:1 : a value is expected here']);
    expect(faultsOf('[1]')).toEqual(['1:1 : must be an object in {}, not a list']);
  });

  it('says the file, the place and the fault on one line', () => {
    expect(() => parsePipeline('{ "pipeline": 5 }', 'my/p.json')).toThrow(
      'my/p.json:1:15: pipeline: must be text in quotes, not 5',
    );
  });

  it.each<[Record<string, unknown>, string[]]>([
    [{ expression: undefined }, [': what is to be computed is missing: give "expression" or "outputs"']],
    [{ outputs: [{ name: 'x', expression: 'a' }] }, ['expression: is short for a lone output: give it or "outputs"']],
    [{ bands: {} }, ['bands: at least one band is wanted', 'expression: unknown name "a" (bands: none)']],
    [{ bands: { a: {}, b: {} } }, ['bands.b: no expression uses this band: take it out']],
    [
      { bands: { a: { suffix: 'x.tif' }, b: {} }, expression: 'a + b' },
      ['bands.b: has no suffix or path while other bands do: say which object it is in'],
    ],
    [
      { bands: { a: { suffix: 'x.tif', path: '{scene}y.tif' } } },
      ['bands.a.suffix: is short for a path: give one of both'],
    ],
    [{ bands: { a: { suffix: '{id}x.tif' } } }, ['bands.a.suffix: has no captures: write a "path" with {scene} in it']],
    [
      { bands: { a: { path: '{id}x.tif' } } },
      ['bands.a.path: "{id}x.tif" does not say what belongs to one scene: it needs {scene}'],
    ],
    [
      { bands: { a: { suffix: 'B04.jp2' } } },
      [
        'bands.a.suffix: JPEG 2000 is not read: convert it with "gdal_translate -of COG -co COMPRESS=DEFLATE in.jp2 out.tif" and name the .tif',
      ],
    ],
    [{ bands: { a: { suffix: 'B04.png' } } }, ['bands.a.suffix: must end in .tif or .tiff']],
    [
      { bands: { a: { path: '{scene}/{id}a.tif' }, b: { suffix: 'b.tif' } }, expression: 'a + b' },
      ['bands.b.suffix: has the captures {scene}, another band {scene}, {id}: they must be the same'],
    ],
    [
      { bands: { a: { suffix: 'a.tif' } }, trigger: '{scene}/{id}.json' },
      ['trigger: has the captures {scene}, {id}, the bands {scene}: they must be the same'],
    ],
    [
      { trigger: '{scene}.json' },
      ['trigger: is of no use to bands of one uploaded file: give the bands a suffix or a path'],
    ],
    [
      { bands: { min: {} }, expression: '1' },
      [
        'bands.min: "min" has a meaning in expressions: call the band something else',
        'bands.min: no expression uses this band: take it out',
      ],
    ],
    [{ bands: { a: { scale: 0 } } }, ['bands.a.scale: cannot be 0']],
    [{ dtype: 'uint8', nodata: 256 }, ['nodata: 256 cannot be stored as uint8']],
    [{ dtype: 'int16', nodata: 'nan' }, ['nodata: "nan" cannot be stored as int16']],
    [{ nodata: 'abc' }, ['nodata: must be a number, a decimal in quotes or "nan"']],
    [{ bands: { a: { scale: 'ten' } } }, ['bands.a.scale: must be a number, or a decimal in quotes such as "0.0001"']],
    [{ nodata: '1e39' }, ['nodata: 1e+39 cannot be stored as float32']],
    [
      {
        expression: undefined,
        outputs: [
          { name: 'x', expression: 'a', dtype: 'uint8', nodata: 0 },
          { name: 'x', expression: 'a', dtype: 'int8', nodata: 1 },
        ],
      },
      [
        'outputs[1].name: another output is called "x" already',
        'outputs[1].dtype: int8 here and uint8 before: all bands of a TIFF share one type',
        'outputs[1].nodata: 1 here and 0 before: all bands of a TIFF share one nodata value',
      ],
    ],
    [{ color: 'rgb' }, ['color: "rgb" needs 3 outputs: red, green and blue, not 1']],
    [
      { resolution: 10 },
      [
        'resolution: the source grid is kept where "dst_crs" is "source" or left out: give a "dst_crs" such as "EPSG:3857"',
      ],
    ],
    [{ dst_crs: 'EPSG:3857', resolution: 0 }, ['resolution: must be more than 0']],
    [{ align: false }, ['align: needs "resolution"']],
    [{ zoom: 3 }, ['zoom: needs "tms"']],
    [
      { tms: 'WebMercatorQuad', resolution: 5 },
      ['tms: needs "zoom"', 'resolution: "tms" and "zoom" decide it already: give one of both'],
    ],
    [
      { tms: 'WebMercatorQuad', zoom: 3, dst_crs: 'EPSG:4326' },
      ['dst_crs: WebMercatorQuad is in EPSG:3857: write that or leave it out'],
    ],
    [
      { dst_crs: 'EPSG:3857', extent: [3, 0, 1, 1] },
      ['extent: must be [minX, minY, maxX, maxY], the least of each axis first'],
    ],
    [{ grid: '0x5' }, ['grid: must be ROWSxCOLUMNS, such as "20x20", each from 1 to 999']],
    [{ bands: { '4a': {}, a: {} } }, ['bands.4a: must be a name of letters, digits and "_", a letter first']],
  ])('%j', (fields, faults) => {
    expect(faultsWith(fields)).toEqual(faults);
  });

  it.each([
    [
      'II*\0\u0008\0\0\0\uFFFD\n\uFFFD',
      'this is a TIFF and no pipeline: name it as the scene, and a JSON file as the pipeline',
    ],
    ['\uFFFDPNG\r\n\n\0', 'this is no text, so no pipeline: a JSON file is wanted'],
  ])('that is no text is one fault: %j', (text, fault) => {
    expect(() => parsePipeline(text, 'B04.tif')).toThrow(new Error(`B04.tif:1:1: ${fault}`));
  });

  it('with an unknown coordinate reference system is told so', () => {
    expect(faultsWith({ dst_crs: 'EPSG:99999' })[0]).toMatch(/^dst_crs: EPSG:99999/);
  });
});
