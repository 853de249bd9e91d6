import { openSource } from '../../../lambda/raster/source/open-source.ts';
import type { ByteRange, FloatPixels } from '../../../lambda/raster/types.ts';
import { BytesReader } from '../../support/bytes-reader.ts';
import { computedScene } from '../odd/computed-scene.ts';

/** Reads of one file, in calls and bytes: a small multiple of what a sound one takes. */
const MOST_CALLS = 100;
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_WINDOWS = 12;
const MOST_BANDS = 4;
/** Side of the windows that are read, px, and pixels of a raster that goes through the whole pipeline. */
const SIDE = 64;
const MOST_PIXELS = 4096;

/** A reader that stops whoever reads without end. */
class BoundedReader extends BytesReader {
  #calls = 0;
  #bytes = 0;

  override async read(ranges: readonly ByteRange[], signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>[]> {
    this.#calls += 1;
    this.#bytes += ranges.reduce((sum, { length }) => sum + length, 0);
    if (this.#calls > MOST_CALLS || this.#bytes > MOST_BYTES) throw new RangeError('reads without end');
    return super.read(ranges, signal);
  }
}

export const FUZZED = 'fuzzed.tif';

/**
 * Opens a file and reads all levels of it by windows, up to a dozen a level.
 *
 * @param whole true: a small one goes through plan and windows of the pipeline as well, times one
 * @returns the windows' pixels
 * @throws whatever the code under test throws
 */
export async function readAll(bytes: Uint8Array<ArrayBuffer>, whole = false): Promise<readonly FloatPixels[]> {
  const source = await openSource(new BoundedReader(FUZZED, bytes));
  const bands = Array.from({ length: Math.min(MOST_BANDS, source.bandCount) }, (_, index) => index + 1);
  const read: FloatPixels[] = [];
  for (const [level, { width, height }] of source.levels.entries()) {
    let windows = 0;
    for (let y = 0; y < height && windows < MOST_WINDOWS; y += SIDE) {
      for (let x = 0; x < width && windows < MOST_WINDOWS; x += SIDE, windows++) {
        const rect = { x, y, width: Math.min(SIDE, width - x), height: Math.min(SIDE, height - y) };
        read.push(...(await source.readWindow(bands, rect, level)));
      }
    }
  }
  if (whole && source.width * source.height <= MOST_PIXELS) {
    await computedScene(FUZZED, bytes, bands.length, { dst_crs: 'source', tile_px: 16 });
  }
  return read;
}
