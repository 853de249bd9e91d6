import { bytesPerSample } from '../data-type.ts';
import { pagedBuffer } from '../pixel-memory.ts';
import type { PixelArray } from '../types.ts';
import type { CogImage } from './cog-image.ts';
import type { LevelSize } from './overview.ts';
import { overviewPixels, overviewRule } from './overview.ts';
import { pixelsOver } from './sample-type.ts';

export interface Level {
  readonly size: LevelSize;
  /** One array a band, rows x cols. */
  readonly bands: readonly PixelArray[];
}

/** An image and its overviews. */
export interface Pyramid {
  /** Full resolution first. */
  readonly levels: readonly Level[];
  /** What all overviews stand in, to be released once they are encoded. */
  readonly overviews: Uint8Array<ArrayBuffer>;
}

/** Bytes: where an array of any type may begin. */
const ALIGNED = 8;

/** Makes an image's overviews, each from the level before. @param sizes of all levels, the image's own first */
export function pyramidOf(image: CogImage, sizes: readonly LevelSize[]): Pyramid {
  const { bands, dataType } = image;
  const bandBytes = ({ width, height }: LevelSize): number => width * height * bytesPerSample(dataType);
  const room = (size: LevelSize): number => Math.ceil(bandBytes(size) / ALIGNED) * ALIGNED;
  const wanted = sizes.slice(1).reduce((sum, size) => sum + bands.length * room(size), 0);
  const overviews = new Uint8Array(pagedBuffer(wanted));
  const levels: Level[] = [];
  let taken = 0;
  for (const size of sizes) {
    const last = levels.at(-1);
    if (last === undefined) {
      levels.push({ size, bands });
      continue;
    }
    const into = bands.map((_, band) => {
      const start = taken + band * room(size);
      return pixelsOver(dataType, overviews.subarray(start, start + bandBytes(size)));
    });
    taken += bands.length * room(size);
    const rect = { x: 0, y: 0, width: size.width, height: size.height };
    levels.push({ size, bands: overviewPixels(last.bands, last.size, rect, overviewRule(image), into) });
  }
  return { levels, overviews };
}
