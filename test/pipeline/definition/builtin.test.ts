import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { BUILTIN_PIPELINES, builtinPipeline, isBuiltinName } from '../../../lambda/pipeline/definition/builtin.ts';
import { parseBandOption } from '../../../lambda/pipeline/definition/pipeline-change.ts';
import { quickPipeline } from '../../../lambda/pipeline/definition/quick-pipeline.ts';
import { pipelineJsonSchema } from '../../../lambda/pipeline/definition/schema.ts';

const FOLDER = new URL('../../../pipelines/', `file://${__filename}`);

describe('built-in pipelines', () => {
  it('are the files of pipelines/, every one described', () => {
    const files = readdirSync(FOLDER).filter((file) => file !== 'pipeline.schema.json');
    expect(files.toSorted()).toEqual(BUILTIN_PIPELINES.map(({ name }) => `${name}.json`).toSorted());
    expect(isBuiltinName('ndvi')).toBe(true);
    expect(isBuiltinName('ndvi.json')).toBe(false);
  });

  it.each(BUILTIN_PIPELINES)('$name is valid and called by its name', async ({ name }) => {
    expect((await builtinPipeline(name)).pipeline).toBe(name);
  });

  it('take bands from elsewhere, and keep what else is known of them', async () => {
    const ndvi = await builtinPipeline('ndvi', { bands: ['red=1'] });
    expect(ndvi.bands.map(({ name, band }) => `${name} ${band}`)).toEqual(['nir 4', 'red 1']);
    const landsat = await builtinPipeline('landsat-c2-ndvi', { bands: ['red=a.tif:2', 'nir=b.tif'] });
    expect(landsat.bands).toMatchObject([
      { name: 'nir', path: '{scene}b.tif', band: 1, scale: 0.0000275, offset: -0.2 },
      { name: 'red', path: '{scene}a.tif', band: 2, scale: 0.0000275 },
    ]);
  });

  it('take another expression and other fields', async () => {
    const changed = await builtinPipeline('true-color', {
      expression: 'red + green + blue',
      fields: { color: undefined, resampling: 'cubic' },
    });
    expect(changed).toMatchObject({ outputs: [{ expression: 'red + green + blue' }], color: null });
    expect(changed.bands[0]?.resampling).toBe('cubic');
  });

  it('are not blamed where a new expression leaves one of their bands unused, which is named', async () => {
    await expect(builtinPipeline('ndvi', { expression: 'nir * 2', bands: ['nir=4'] })).rejects.toMatchObject({
      oneLine:
        'the expression given to the pipeline ndvi does not use the band red: ' +
        'leave out --pipeline and name each band that it uses with --band',
    });
    await expect(builtinPipeline('ndvi', { bands: ['blue=1'] })).rejects.toThrow(
      'the pipeline ndvi has no use for the band blue',
    );
  });

  it('are told where in a new expression a fault is', async () => {
    await expect(builtinPipeline('ndvi', { expression: 'nir - rde' })).rejects.toThrow(
      'command line:1:7: expression: unknown name "rde": did you mean "red"?',
    );
  });

  it('keep a band that their mask alone uses', async () => {
    const masked = await builtinPipeline('sentinel2-ndvi-masked', { expression: 'B04 / B08' });
    expect(masked.bands.map(({ name }) => name)).toContain('SCL');
  });

  it('of another name are refused, with the nearest', async () => {
    await expect(builtinPipeline('ndiv')).rejects.toThrow(
      'no built-in pipeline is called "ndiv": did you mean "ndvi"?',
    );
  });
});

describe('a pipeline of one expression', () => {
  it('needs the places of its bands alone', () => {
    const pipeline = quickPipeline({
      expression: '(nir - red) / (nir + red)',
      bands: ['red=3', 'nir=2'],
    });
    expect(pipeline).toMatchObject({
      pipeline: 'quick',
      bands: [
        { name: 'nir', path: null, band: 2 },
        { name: 'red', path: null, band: 3 },
      ],
    });
  });

  it('is told where in the expression a fault is', () => {
    expect(() => quickPipeline({ expression: 'nir - rde', bands: ['red=3', 'nir=4'] })).toThrow(
      'command line:1:7: expression: unknown name "rde": did you mean "red"?',
    );
  });

  it.each([
    ['red=3', { name: 'red', place: { band: 3 } }],
    ['nir=B08.tif', { name: 'nir', place: { suffix: 'B08.tif', band: 1 } }],
    ['nir=B08.tif:4', { name: 'nir', place: { suffix: 'B08.tif', band: 4 } }],
  ])('reads %s', (text, option) => {
    expect(parseBandOption(text)).toEqual(option);
  });

  it.each(['red', '3=red', 'red=', '=3'])('refuses the band %s', (text) => {
    expect(() => parseBandOption(text)).toThrow('does not say where a band is');
  });
});

it('a band that is given twice is refused: neither of the two is guessed', () => {
  expect(() => quickPipeline({ expression: 'red', bands: ['red=1', 'red=2'] })).toThrow('the band red is given twice');
});

describe('the JSON Schema of pipeline files', () => {
  // Made anew by: node -e "import('./lambda/pipeline/definition/schema.ts').then((m) =>
  //   fs.writeFileSync('pipelines/pipeline.schema.json', JSON.stringify(m.pipelineJsonSchema())))", then formatted.
  it('is the one that the code checks by', () => {
    const written: unknown = JSON.parse(readFileSync(new URL('pipeline.schema.json', FOLDER), 'utf8'));
    expect(written).toEqual(JSON.parse(JSON.stringify(pipelineJsonSchema())));
  });
});
