import { Worker } from 'node:worker_threads';
import { fromFile } from 'geotiff';
import type { PixelRect } from '../lambda/raster/types.ts';
import { type Cost, measureHere } from './measured.ts';
import { startPeer } from './peer-process.ts';
import { type Row, compare } from './ratio.ts';
import { READ_SIZE, readFiles } from './read-files.ts';
import { readWindows } from './read-windows.ts';

/** Side of a window, px: a twentieth of a scene, on no block's boundary. */
const WINDOW = 549;
const PER_SIDE = READ_SIZE / WINDOW;
/** readRasters is so slow that it does two rows of windows only. */
const WITH_GEOTIFF = 2 * PER_SIDE;

/** Bars against ReadAsArray with one thread and with a second one, and against readRasters. */
const BARS = { one: 0.85, two: 1, readRasters: 3.5 } as const;

/** Reading windows row by row, as floats with NaN where there is no data, against readers that give raw samples. */
export const benchRead = async ({ rounds }: { rounds: number }): Promise<Row[]> => {
  const rows: Row[] = [];
  const windows = allWindows();
  for (const { what, path } of await readFiles()) {
    await using gdal = startPeer('read', { path, windows });
    await using pair = startPair(path, windows);
    const shared = { bench: 'read', jobs: windows.length, peerName: 'ReadAsArray', peer: () => gdal.round() };
    const ours = (): Promise<Cost> => measureHere(() => nothing(readWindows(path, windows)));
    const options = { rounds, warmUp: true };
    rows.push(await compare({ ...shared, what: `${what}, 1 thread`, bar: BARS.one, ours }, options));
    rows.push(
      await compare({ ...shared, what: `${what}, 2 threads`, bar: BARS.two, ours: () => pair.round() }, options),
    );
    const few = windows.slice(0, WITH_GEOTIFF);
    const other = {
      ...shared,
      jobs: few.length,
      peerName: 'readRasters',
      peer: () => measureHere(() => nothing(readWithGeotiff(path, few))),
      ours: () => measureHere(() => nothing(readWindows(path, few))),
    };
    rows.push(await compare({ ...other, what: `${what}, 1 thread`, bar: BARS.readRasters }, options));
  }
  return rows;
};

const allWindows = (): PixelRect[] =>
  Array.from({ length: PER_SIDE * PER_SIDE }, (_, i) => ({
    x: (i % PER_SIDE) * WINDOW,
    y: Math.floor(i / PER_SIDE) * WINDOW,
    width: WINDOW,
    height: WINDOW,
  }));

const nothing = async (work: Promise<unknown>): Promise<undefined> => {
  await work;
  return undefined;
};

const readWithGeotiff = async (path: string, windows: readonly PixelRect[]): Promise<void> => {
  const file = await fromFile(path);
  const image = await file.getImage();
  for (const { x, y, width, height } of windows) await image.readRasters({ window: [x, y, x + width, y + height] });
  await file.close();
};

/** Two threads that take half of the rows of windows each. */
const startPair = (path: string, windows: readonly PixelRect[]): AsyncDisposable & { round(): Promise<Cost> } => {
  const middle = windows.length / 2;
  const workers = [windows.slice(0, middle), windows.slice(middle)].map(
    (half) => new Worker(new URL('jobs/read.ts', import.meta.url), { workerData: { path, windows: half } }),
  );
  const readOnce = (worker: Worker): Promise<void> =>
    new Promise((resolve, reject) => {
      worker.once('message', () => resolve());
      worker.once('error', reject);
      worker.postMessage('read');
    });
  return {
    round: () => measureHere(() => nothing(Promise.all(workers.map(readOnce)))),
    async [Symbol.asyncDispose]() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
};
