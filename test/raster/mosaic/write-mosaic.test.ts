import { createHash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { encodeCog } from '../../../lambda/raster/cog/encode-cog.ts';
import { assembleMosaic } from '../../../lambda/raster/mosaic/assemble-mosaic.ts';
import type { ByteSink } from '../../../lambda/raster/mosaic/mosaic-request.ts';
import { cogImage, noisyPixels } from '../../support/cog-images.ts';
import { cutTiles, mosaicRequest } from '../../support/mosaic-tiles.ts';

const [EDGES, SIDE] = [[0, 64, 128], 128];

/** A mosaic of four tiles, written to `sink`. */
const writeTo = async (sinkOf: (inner: ByteSink) => ByteSink) => {
  const bands = [noisyPixels('float32', SIDE, SIDE, { seed: 3, nodata: null })];
  const image = cogImage({ bands, width: SIDE, height: SIDE, dataType: 'float32', nodata: null, blockSize: 16 });
  const { request, written } = mosaicRequest(image, EDGES, EDGES, cutTiles(image, EDGES, EDGES));
  const summary = await assembleMosaic({ ...request, sink: sinkOf(request.sink) });
  return { summary, hash: createHash('sha256').update(written()).digest('hex') };
};

it('tells the SHA-256 of what it wrote', async () => {
  const { summary, hash } = await writeTo((sink) => sink);
  expect(summary.sha256).toBe(hash);
});

it('takes the word of a sink that hashes what it is given', async () => {
  const { summary } = await writeTo((inner) => ({ ...inner, sha256: () => 'as the sink says' }));
  expect(summary.sha256).toBe('as the sink says');
});

it('reads and writes a mosaic that is longer than all that is held at a time', async () => {
  const [width, height] = [1024, 2432];
  const pixels = Float64Array.from({ length: width * height }, (_, i) => i);
  const image = cogImage({ bands: [pixels], width, height, dataType: 'float64', blockSize: 128, compression: 'none' });
  const [rowEdges, columnEdges] = [
    [0, 1024, 2048, height],
    [0, 512, width],
  ];
  const { request, written } = mosaicRequest(image, rowEdges, columnEdges, cutTiles(image, rowEdges, columnEdges));
  const lengths: number[] = [];
  const sink: ByteSink = {
    write: (bytes) => {
      lengths.push(bytes.length);
      return request.sink.write(bytes);
    },
  };
  await assembleMosaic({ ...request, sink });
  expect(written().equals(encodeCog(image))).toBe(true);
  expect(lengths.length).toBeGreaterThan(5);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(4 * 2 ** 20);
});
