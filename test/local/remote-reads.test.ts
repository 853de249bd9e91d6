import { describe, expect, it } from '@jest/globals';
import { HttpSourceStore, locateUrl } from '../../lambda/engines/aws/http-source-store.ts';
import { S3SourceStore } from '../../lambda/engines/aws/source-store.ts';
import type { SourceStore } from '../../lambda/pipeline/source-store.ts';
import { encodeCog } from '../../lambda/raster/cog/encode-cog.ts';
import { readCogIndex } from '../../lambda/raster/cog/read-cog.ts';
import { openSource } from '../../lambda/raster/source/open-source.ts';
import { type AnsweringServer, answeringServer } from '../engines/aws/answering-server.ts';
import { hastyClock, testS3 } from '../engines/aws/test-clients.ts';
import { BytesReader } from '../support/bytes-reader.ts';
import { cogImage, seededRandom } from '../support/cog-images.ts';
import { serveObjects } from './served-objects.ts';

const SIZE = 1536;
const BLOCK = 512;
/** What a first scene's window of 20 x 20 is: not aligned, across 2 x 2 blocks. */
const WINDOW = { x: 700, y: 700, width: 549, height: 549 };

const random = seededRandom(5);
const noise = Uint16Array.from({ length: SIZE * SIZE }, () => 1 + Math.floor(random() * 9_999));
const band = encodeCog({
  ...cogImage({ width: SIZE, height: SIZE, dataType: 'uint16', nodata: 0, bands: [noise], compression: 'zstd' }),
  blockSize: BLOCK,
});

/** Bytes of the compressed blocks under the window. */
const bytesTouched = async (): Promise<number> => {
  const level = (await readCogIndex(new BytesReader('B04.tif', band)))?.levels[0];
  const columns = SIZE / BLOCK;
  const [first, last] = [Math.floor(WINDOW.x / BLOCK), Math.floor((WINDOW.x + WINDOW.width - 1) / BLOCK)];
  let bytes = 0;
  for (let row = first; row <= last; row++) {
    for (let column = first; column <= last; column++) bytes += level?.blockBytes[row * columns + column] ?? 0;
  }
  return bytes;
};

type Remote = readonly [
  name: string,
  store: (server: AnsweringServer, onRead: (bytes: number, requests: number) => void) => SourceStore,
  place: (server: AnsweringServer) => { bucket: string; key: string },
];

const remotes: readonly Remote[] = [
  [
    'on a web server',
    (_, onRead) => new HttpSourceStore({ fetch, clock: hastyClock, onRead }),
    ({ endpoint }) => locateUrl(`${endpoint}/scenes/B04.tif`),
  ],
  [
    'in a bucket',
    ({ endpoint }, onRead) => new S3SourceStore({ client: testS3(endpoint), onRead }),
    () => ({ bucket: 'scenes', key: 'B04.tif' }),
  ],
];

describe('opening a COG and reading one window', () => {
  it.each(remotes)('%s takes 3 GETs, and hardly more bytes than its blocks have', async (_, storeOf, placeOf) => {
    await using server = await answeringServer(serveObjects(new Map([['/scenes/B04.tif', band]])));
    const read = { bytes: 0, requests: 0 };
    const store = storeOf(server, (bytes, requests) => {
      read.bytes += bytes;
      read.requests += requests;
    });
    const { bucket, key } = placeOf(server);
    const look = await store.look(bucket, key);
    if (look === null) throw new Error('it is not there');
    const looks = server.received.length;

    await using reader = await store.open(look);
    const raster = await openSource(reader);
    const [pixels] = await raster.readWindow([1], WINDOW, 0, {});

    const gets = server.received.slice(looks);
    expect(gets.map(({ method }) => method)).toEqual(gets.map(() => 'GET'));
    expect(gets.length).toBeLessThanOrEqual(3);
    expect(read.requests).toBe(gets.length);
    expect(read.bytes).toBeLessThanOrEqual(1.25 * (await bytesTouched()));
    const row = noise.subarray(WINDOW.y * SIZE + WINDOW.x, WINDOW.y * SIZE + WINDOW.x + WINDOW.width);
    expect(Array.from(pixels?.subarray(0, WINDOW.width) ?? [])).toEqual(Array.from(row));
  });
});
