import { fileURLToPath } from 'node:url';
import { systemClock } from '../lambda/clock.ts';
import { HttpSourceStore } from '../lambda/engines/aws/http-source-store.ts';
import { openSource } from '../lambda/raster/source/open-source.ts';
import type { PixelRect } from '../lambda/raster/types.ts';
import { REAL_SCENE, demoScene } from './data.ts';
import { measureCommand } from './measured.ts';
import { serveFile } from './range-server.ts';
import { type Row, bounded, megabytes } from './ratio.ts';

const MOST_GETS = 3;
/** Of the bytes of the blocks that a window touches. */
const MOST_BYTES = 1.25;

/** The GETs of the largest are told without a bar: rows of its blocks lie far apart in the file, whoever reads it. */
const WINDOWS: readonly (readonly [what: string, rect: PixelRect, mostGets: number | null])[] = [
  ['512 px, one block', { x: 4096, y: 4096, width: 512, height: 512 }, MOST_GETS],
  ['549 px, four blocks', { x: 4392, y: 4392, width: 549, height: 549 }, MOST_GETS],
  ['2,048 px, 25 blocks', { x: 4000, y: 4000, width: 2048, height: 2048 }, null],
];

const BLOCK_SIZES = fileURLToPath(new URL('peers/block_sizes.py', import.meta.url));

/** Requests and bytes to open one band of a scene on a web server, and to read one window of it. */
export const benchRemote = async (): Promise<Row[]> => {
  const { red } = await demoScene(REAL_SCENE);
  const rows: Row[] = [];
  for (const [what, rect, mostGets] of WINDOWS) {
    await using server = await serveFile(red);
    const store = new HttpSourceStore({ fetch, clock: systemClock });
    const look = await store.look(server.url, 'B04.tif');
    if (look === null) throw new Error('the server has no file');
    const before = server.asked();
    await using reader = await store.open(look);
    const source = await openSource(reader);
    await source.readWindow([1], rect, 0);
    const { requests, bytes } = server.asked();
    source.close();
    const touched = await touchedBytes(red, rect);
    const read = bytes - before.bytes;
    const put = { bench: 'remote', what };
    rows.push(bounded({ ...put, what: `${what}: GETs` }, requests - before.requests, mostGets, String));
    const remark = `${megabytes(read)} for ${megabytes(touched)}`;
    const times = (share: number): string => `${share.toFixed(2)} x`;
    rows.push(bounded({ ...put, what: `${what}: bytes, of its blocks'`, remark }, read / touched, MOST_BYTES, times));
  }
  return rows;
};

const touchedBytes = async (path: string, { x, y, width, height }: PixelRect): Promise<number> => {
  const { stdout } = await measureCommand('/usr/bin/python3', [
    BLOCK_SIZES,
    path,
    ...[x, y, width, height].map(String),
  ]);
  return Number(stdout);
};
