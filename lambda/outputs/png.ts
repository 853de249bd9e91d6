import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';

import type { RasterSize } from '../raster/types.ts';
import type { Rgba } from './preview-colors.ts';

/** A picture of 8 bits a sample: indices of a palette, or red, green, blue and alpha of each pixel; row by row. */
export interface Picture extends RasterSize {
  readonly data: Uint8Array<ArrayBuffer>;
  /** At most 256 colours; null where the pixels are colours themselves. */
  readonly palette: readonly Rgba[] | null;
}

const deflateAsync = promisify(deflate);
const DEFLATE_LEVEL = 6;
const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const INDEXED = 3;
const COLORS_WITH_ALPHA = 6;

/**
 * A picture as a PNG (W3C, Portable Network Graphics, third edition, section 5.6 and 11), no row filtered. It is
 * compressed on another thread. The same picture gives the same bytes.
 */
export const encodePng = async ({ width, height, data, palette }: Picture): Promise<Uint8Array<ArrayBuffer>> => {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, palette === null ? COLORS_WITH_ALPHA : INDEXED], 8);
  const colors = palette ?? [];
  // Colours behind the last that is not opaque need none.
  const alphas = colors.slice(0, 1 + colors.findLastIndex(([, , , alpha]) => alpha < 255));
  const chunks = [
    chunk('IHDR', header),
    ...(palette === null ? [] : [chunk('PLTE', Uint8Array.from(colors.flatMap(([r, g, b]) => [r, g, b])))]),
    ...(alphas.length === 0
      ? []
      : [
          chunk(
            'tRNS',
            Uint8Array.from(alphas, ([, , , alpha]) => alpha),
          ),
        ]),
    chunk('IDAT', await deflateAsync(scanlines(data, height), { level: DEFLATE_LEVEL })),
    chunk('IEND', new Uint8Array(0)),
  ];
  return new Uint8Array(Buffer.concat([SIGNATURE, ...chunks]));
};

/** The rows, each behind a byte that says that it is not filtered. */
const scanlines = (data: Uint8Array<ArrayBuffer>, height: number): Uint8Array<ArrayBuffer> => {
  const rowBytes = data.length / height;
  const lines = new Uint8Array(data.length + height);
  for (let row = 0; row < height; row++) {
    lines.set(data.subarray(row * rowBytes, (row + 1) * rowBytes), row * (rowBytes + 1) + 1);
  }
  return lines;
};

const chunk = (type: string, data: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(data.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  bytes.set(Buffer.from(type, 'latin1'), 4);
  bytes.set(data, 8);
  view.setUint32(data.length + 8, crc32(bytes.subarray(4, data.length + 8)));
  return bytes;
};
