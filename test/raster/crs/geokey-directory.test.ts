import { expect, it } from '@jest/globals';
import { asPixelIsArea, readGeoKeys } from '../../../lambda/raster/crs/geokey-directory.ts';

const directory = [1, 1, 0, 2, 1024, 0, 1, 1, 3072, 0, 1, 32631];

it('zeroes behind the counted keys are no keys', () => {
  const padded = { directory: [...directory, 0, 0, 0, 0], doubles: [], ascii: '' };
  expect([...readGeoKeys(padded).keys()]).toEqual([1024, 3072]);
  expect(asPixelIsArea(padded).directory).toEqual([1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32631]);
});
