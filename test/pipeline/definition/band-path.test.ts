import { describe, expect, it } from '@jest/globals';
import { BandPathError, compileBandPath } from '../../../lambda/pipeline/definition/band-path.ts';

describe('path templates', () => {
  it.each([
    ['{scene}B04.tif', 'B04.tif', { scene: '' }],
    ['{scene}B04.tif', 'L2A/T31UDQ_B04.TIF', { scene: 'L2A/T31UDQ_' }],
    ['{scene}B04.tif', 'L2A/T31UDQ_B08.tif', null],
    ['{scene}B04.tif', 'L2A/T31UDQ_B04.tiff', null],
    ['{scene}B04.tif', 'L2A/xB04xtif', null],
    ['{scene}/R10m/{id}_B04_10m.tif', 'a/b/R10m/T31_B04_10m.tif', { scene: 'a/b', id: 'T31' }],
    ['{scene}/R10m/{id}_B04_10m.tif', 'R10m/T31_B04_10m.tif', { scene: '', id: 'T31' }],
    ['{scene}/R10m/{id}_B04_10m.tif', 'a/R10m/x/T31_B04_10m.tif', null],
    ['{scene}/{id}/{id}_B04.tif', 's/T31/T31_B04.tif', { scene: 's', id: 'T31' }],
    ['{scene}/{id}/{id}_B04.tif', 's/T31/T32_B04.tif', null],
    ['L2A/{scene}_B04.tif', 'L2A/T31_B04.tif', { scene: 'T31' }],
    ['L2A/{scene}_B04.tif', 'L2A/a/T31_B04.tif', null],
    ['{scene}(1)+.tif', 'a(1)+.tif', { scene: 'a' }],
  ])('%s on %s', (template, key, captures) => {
    expect(compileBandPath(template).match(key)).toEqual(captures);
  });

  it('make the keys they match, in both cases of the extension', () => {
    const path = compileBandPath('{scene}/R20m/{id}_SCL_20m.tif');
    expect(path.keysFor({ scene: 'a/b', id: 'T31' })).toEqual(['a/b/R20m/T31_SCL_20m.tif', 'a/b/R20m/T31_SCL_20m.TIF']);
    expect(path.keysFor({ scene: '', id: 'T31' })[0]).toBe('R20m/T31_SCL_20m.tif');
    expect(compileBandPath('{scene}SR_B4.TIF').keysFor({ scene: 'x_' })).toEqual(['x_SR_B4.TIF', 'x_SR_B4.tif']);
  });

  it.each(['{scene/x.tif', 'scene}.tif', '{}x.tif', '{a b}.tif', 'B04.tif', '{id}_B04.tif'])(
    '%s is refused',
    (template) => {
      expect(() => compileBandPath(template)).toThrow(BandPathError);
    },
  );
});
