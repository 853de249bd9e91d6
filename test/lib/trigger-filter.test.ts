import { describe, expect, test } from '@jest/globals';
import { couldBeOutput, refuseEndlessScenes } from '../../lib/endless-scenes.ts';
import { triggerWildcards } from '../../lib/trigger-filter.ts';
import { sceneJobId } from '../../lambda/identity/job-key.ts';
import { itemKey, mosaicKey, previewKey, tileKey } from '../../lambda/identity/output-keys.ts';
import { compileBandPath } from '../../lambda/pipeline/definition/band-path.ts';
import { pipelineOf } from './pipelines.ts';

const twoBands = pipelineOf({ B04: '{scene}B04.tif', B08: '{scene}B08.tif' });

/** What EventBridge does with a wildcard. */
const matches = (wildcard: string, key: string): boolean =>
  new RegExp(
    `^${wildcard.replaceAll(/\\?[^]/gu, (token) => (token === '*' ? '[^]*' : token.replace(/^\\/u, '').replace(/[\\^$.*+?()[\]{}|/]/u, String.raw`\$&`)))}$`,
    'u',
  ).test(key);

describe('the trigger of a pipeline', () => {
  test('is every band, under the prefix, in both cases of the extension', () => {
    expect(triggerWildcards([twoBands], 'scenes/')).toEqual([
      'scenes/*B04.tif',
      'scenes/*B04.TIF',
      'scenes/*B08.tif',
      'scenes/*B08.TIF',
    ]);
  });

  test('is any TIFF where the bands lie in the one uploaded file', () => {
    expect(triggerWildcards([pipelineOf({ red: null, nir: null })], '')).toEqual([
      '*.tif',
      '*.TIF',
      '*.tiff',
      '*.TIFF',
    ]);
  });

  test('is only the object that is uploaded last, where the pipeline names one', () => {
    expect(triggerWildcards([{ ...twoBands, trigger: '{scene}_MTL.json' }], '')).toEqual(['*_MTL.json', '*_MTL.JSON']);
  });

  test('lets a scene stand at the top, without a folder', () => {
    expect(triggerWildcards([pipelineOf({ B04: '{scene}/R10m/{id}_B04.tif' })], '')).toEqual([
      '*/R10m/*_B04.tif',
      'R10m/*_B04.tif',
      '*/R10m/*_B04.TIF',
      'R10m/*_B04.TIF',
    ]);
  });

  test('names every pipeline once, and nothing twice', () => {
    expect(triggerWildcards([twoBands, { ...twoBands, version: '2' }], 'in/')).toHaveLength(4);
  });

  test('lets every key through that a path matches under the prefix', () => {
    const cases: readonly (readonly [template: string, prefix: string, key: string])[] = [
      ['{scene}/R10m/{id}_B04.tif', 'scenes/', 'scenes/R10m/T31_B04.tif'],
      ['{scene}/R10m/{id}_B04.tif', 'scenes/', 'scenes/a/b/R10m/T31_B04.tif'],
      ['a{x}/b/{scene}.tif', 'a1/b/', 'a1/b/S.tif'],
      ['L2A/{scene}_B04.tif', 'L2A/2026', 'L2A/20260621_B04.tif'],
      ['L2A/{scene}_B04.tif', 'L', 'L2A/S_B04.TIF'],
      ['100*{scene}.tif', '', '100*S.tif'],
    ];
    for (const [template, prefix, key] of cases) {
      const wildcards = triggerWildcards([pipelineOf({ B04: template })], prefix);
      const fits = compileBandPath(template).match(key) !== null || !template.startsWith('{scene}');
      expect([template, key, fits && wildcards.some((wildcard) => matches(wildcard, key))]).toEqual([
        template,
        key,
        true,
      ]);
    }
  });

  test('writes a star of the path so that it means itself', () => {
    expect(triggerWildcards([pipelineOf({ B04: '100*{scene}.tif' })], '')[0]).toBe(String.raw`100\**.tif`);
  });

  test('is refused where no object of the pipeline can lie under the prefix', () => {
    expect(() => triggerWildcards([pipelineOf({ B04: 'L2A/{scene}.tif' })], 'L1C/')).toThrow(
      'pipeline ndvi-tiler: no key under "L1C/" can fit its path "L2A/{scene}.tif"',
    );
  });
});

describe('one bucket for source and output', () => {
  const id = sceneJobId([{ bucket: 'b', key: 'k', versionToken: 't' }], {});
  const outputs = [tileKey(id, { row: 3, column: 12_345 }), mosaicKey(id), itemKey(id), previewKey(id)];

  test('is refused with a trigger that an output would set off', () => {
    for (const wildcard of [
      '*',
      '*.tif',
      'tiles/*.tif',
      'scenes/*scene.tif',
      '*/item.json',
      '*w.png',
      'tiles/*_00*0.tif',
    ]) {
      expect([wildcard, outputs.some((key) => matches(wildcard, key)) || wildcard.includes('_00')]).toEqual([
        wildcard,
        true,
      ]);
      expect([wildcard, couldBeOutput(wildcard)]).toEqual([wildcard, true]);
    }
    expect(() => refuseEndlessScenes(['in/*.tif', '*.tif'])).toThrow(
      'the trigger "*.tif" matches output keys: endless scenes',
    );
  });

  test('finds every output key by a wildcard that is the key itself', () => {
    expect(outputs.map(couldBeOutput)).toEqual([true, true, true, true]);
  });

  test('is allowed where no key fits both', () => {
    const allowed = [
      '*B04.tif',
      'in/*.tif',
      'scenes/*B04.tif',
      '*.TIF',
      'tiles/*/B04.tif',
      String.raw`tiles/\*.tif`,
      'tiles/g*.tif',
    ];
    expect(allowed.filter(couldBeOutput)).toEqual([]);
    expect(() => refuseEndlessScenes(allowed)).not.toThrow();
  });
});
