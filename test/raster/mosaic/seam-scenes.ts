import { encodeCog } from '../../../lambda/raster/cog/encode-cog.ts';
import type { CogImage } from '../../../lambda/raster/cog/cog-image.ts';
import { UTM_31N, cogImage, seededRandom } from '../../support/cog-images.ts';

/** px of 30 m in UTM 31N: 458 x 393 px of 50 m in Web Mercator. */
const [WIDTH, HEIGHT] = [470, 402];
const PIXEL = 30;
const [LEFT, TOP] = [480_000, 5_760_000];
/** Of the outputs, m of Web Mercator. */
export const RESOLUTION = 50;
/** Multiples of the resolution: a window of one block left of the scene, a few pixels above it. */
const [OUT_LEFT, OUT_TOP] = [295_400, 6_799_000];

/** An output's extent, so many pixels wide and high, from beyond the scene's upper left corner on. */
export const extentOf = (width: number, height: number): readonly [number, number, number, number] => [
  OUT_LEFT,
  OUT_TOP - height * RESOLUTION,
  OUT_LEFT + width * RESOLUTION,
  OUT_TOP,
];

/** A slanted edge as of an orbit, and clouds' worth of single pixels and areas without data. */
const hasData = (column: number, row: number, random: () => number): boolean =>
  column + row / 4 > 60 && Math.hypot(column - 300, row - 250) > 40 && random() > 0.01;

const wave = (column: number, row: number, seed: number): number =>
  Math.sin(column / (5 + seed)) * Math.cos(row / 7) + Math.sin((column * row) / 4000);

const fill = <T extends Uint8Array<ArrayBuffer> | Float32Array<ArrayBuffer>>(
  pixels: T,
  missing: number,
  seed: number,
  value: (column: number, row: number, random: () => number) => number,
): T => {
  const random = seededRandom(1_000_003);
  const noise = seededRandom(2_000_003 * seed);
  for (let row = 0; row < HEIGHT; row++) {
    for (let column = 0; column < WIDTH; column++) {
      const valid = hasData(column, row, random);
      pixels[row * WIDTH + column] = valid ? value(column, row, noise) : missing;
    }
  }
  return pixels;
};

const encoded = (parts: Pick<CogImage, 'bands' | 'dataType' | 'nodata'>): Uint8Array<ArrayBuffer> => {
  const grid = { crs: UTM_31N, geotransform: [LEFT, PIXEL, 0, TOP, 0, -PIXEL] } as const;
  return encodeCog(cogImage({ ...parts, width: WIDTH, height: HEIGHT, grid, blockSize: 64 }));
};

const size = WIDTH * HEIGHT;

/** Reflectance-like floats, without data where NaN. */
export const floatScene = (): Uint8Array<ArrayBuffer> => {
  const band = fill(
    new Float32Array(size),
    NaN,
    1,
    (column, row, random) => 0.3 + wave(column, row, 1) / 9 + random() / 50,
  );
  return encoded({ bands: [band], dataType: 'float32', nodata: NaN });
};

/** Three colours, each without data where 0. */
export const colourScene = (): Uint8Array<ArrayBuffer> => {
  const bands = [1, 2, 3].map((seed) =>
    fill(new Uint8Array(size), 0, seed, (column, row, random) => 100 + 45 * wave(column, row, seed) + 9 * random()),
  );
  return encoded({ bands, dataType: 'uint8', nodata: 0 });
};

/** Classes 1 to 6 in patches, without data where 0. */
export const classScene = (): Uint8Array<ArrayBuffer> => {
  const band = fill(new Uint8Array(size), 0, 4, (column, row, random) =>
    random() < 0.1 ? 6 : 1 + Math.floor(2 + wave(column, row, 2) + 0.5),
  );
  return encoded({ bands: [band], dataType: 'uint8', nodata: 0 });
};
