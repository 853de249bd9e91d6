import { describe, expect, it } from '@jest/globals';
import {
  assemblyJobId,
  canonicalJson,
  overwriteJobId,
  parseSceneJobId,
  sceneJobId,
  windowJobId,
  windowName,
} from '../../lambda/identity/job-key.ts';
import { decodeObjectKey } from '../../lambda/identity/object-key.ts';

const params = {
  pipeline: 'ndvi-tiler',
  version: '3.2.0',
  dst_crs: 'EPSG:3857',
  resampling: 'bilinear',
  tile_px: 512,
  expression: '(B08 - B04) / (B08 + B04)',
};
const source = (rawKey: string, versionToken = '9b2cf5a1-3') => ({
  bucket: 'sentinel-scenes',
  key: decodeObjectKey(rawKey, 'url-encoded'),
  versionToken,
});

describe('the scene job id', () => {
  it('equals the golden vector of another implementation', () => {
    expect(sceneJobId([source('L2A/T31UDQ%2FB08.tif')], params)).toBe(
      '5955d3405abdb503665f72cf164ced1a2e32c357ffc3881ffccaf41168ec6568',
    );
  });

  it('equals the golden vector of a key with a plus, a space and an accent', () => {
    expect(sceneJobId([source('L2A/a+b%20c%C3%A9.tif')], params)).toBe(
      'ec0720feb5c2aa0854946fbc7fb189fb95d61e7806af186226f76a9908fe4323',
    );
  });

  it('equals the golden vector of a scene of two objects, in whatever order they come', () => {
    const red = source('L2A/T31UDQ/B04.tif');
    const nir = source('L2A/T31UDQ/B08.tif', '77aa01d2-3');
    const expected = 'd18ead11509f1d62424f5ea9fb44ab02459cbd427b822314de7e0c247a17fc67';
    expect(sceneJobId([red, nir], params)).toBe(expected);
    expect(sceneJobId([nir, red], params)).toBe(expected);
  });

  it('counts an object that several bands share once', () => {
    const file = source('scene.tif');
    expect(sceneJobId([file, { ...file }, file], params)).toBe(sceneJobId([file], params));
  });

  it('refuses one object with two version tokens', () => {
    expect(() => sceneJobId([source('a.tif', '1'), source('a.tif', '2')], params)).toThrow('two version tokens');
  });

  it('refuses a scene without objects', () => {
    expect(() => sceneJobId([], params)).toThrow('at least one source');
  });

  it('does not depend on the order of the params', () => {
    const reordered = Object.fromEntries(Object.entries(params).toReversed());
    expect(sceneJobId([source('a.tif')], reordered)).toBe(sceneJobId([source('a.tif')], params));
  });

  it('differs where any of bucket, key, token or params differs', () => {
    const base = source('a.tif');
    const ids = [
      sceneJobId([base], params),
      sceneJobId([{ ...base, bucket: 'other' }], params),
      sceneJobId([{ ...base, key: 'b.tif' }], params),
      sceneJobId([{ ...base, versionToken: 'x' }], params),
      sceneJobId([base], { ...params, version: '3.2.1' }),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('a key that both envelopes carry', () => {
  it.each(['a b.tif', 'a+b.tif', 'a%20b.tif', 'é/ü.tif', 'e\u0301.tif', 'plain.tif'])('%s is one key', (key) => {
    const notification = encodeURIComponent(key).replaceAll('%20', '+');
    expect(decodeObjectKey(notification, 'url-encoded')).toBe(key);
    expect(decodeObjectKey(key, 'plain')).toBe(key);
  });

  it('would be two keys if the plain envelope were decoded as well', () => {
    expect(decodeObjectKey('a+b%20c.tif', 'url-encoded')).not.toBe(decodeObjectKey('a+b%20c.tif', 'plain'));
  });
});

describe('ids below a scene', () => {
  const scene = sceneJobId([source('a.tif')], params);

  it('spell a window with four digits an axis', () => {
    expect(windowName({ row: 7, column: 12 })).toBe('0007_0012');
  });

  it('are hashes of the scene id and what they are for, all different', () => {
    const window = windowJobId(scene, { row: 7, column: 12 });
    const ids = [
      window,
      windowJobId(scene, { row: 12, column: 7 }),
      assemblyJobId(scene),
      overwriteJobId(window, 'etag-1'),
      overwriteJobId(window, 'etag-2'),
    ];
    expect(new Set([scene, ...ids]).size).toBe(6);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{64}$/);
  });

  it('are read back from text, and only where the text is one', () => {
    expect(parseSceneJobId(scene)).toBe(scene);
    expect(parseSceneJobId(scene.toUpperCase())).toBeNull();
    expect(parseSceneJobId('../../etc')).toBeNull();
  });
});

it('canonical JSON is RFC 8785: members by code units, no spaces', () => {
  expect(canonicalJson({ b: [1, null, true], a: 'é', 'a b': {} })).toBe('{"a":"é","a b":{},"b":[1,null,true]}');
});
