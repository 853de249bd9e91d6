import { readFile } from 'node:fs/promises';
import { openLocalEngine } from '../lambda/local/local-engine.ts';
import { COG_CONTENT_TYPE } from '../lambda/pipeline/tile-window.ts';
import { silentTelemetry } from '../lambda/telemetry.ts';
import { workFolder } from './data.ts';
import { type Cost, measureHere } from './measured.ts';
import { type Row, duration, median, megabytes } from './ratio.ts';

/** As the assembly writes them, bytes. */
const PART_BYTES = 4 * 2 ** 20;

/** What an assembly cannot go below: its mosaic, in memory already, hashed, written, flushed and put in its place. */
export const diskFloor = async (what: string, mosaic: string, rounds: number): Promise<Row> => {
  const bytes = new Uint8Array(await readFile(mosaic));
  const costs: Cost[] = [];
  for (let round = 0; round < rounds; round++) costs.push(await storeOnce(bytes));
  return {
    bench: 'assembly',
    what,
    ours: '',
    peer: '',
    measured: duration(median(costs.map(({ wall }) => wall))),
    bar: '',
    met: null,
    remark: `${megabytes(bytes.length)}, cpu ${duration(median(costs.map(({ cpu }) => cpu)))}, ${rounds} rounds`,
  };
};

const storeOnce = async (bytes: Uint8Array<ArrayBuffer>): Promise<Cost> => {
  await using folder = await workFolder();
  using local = openLocalEngine(folder.path, silentTelemetry);
  return await measureHere(async () => {
    const upload = await local.context.objects.upload({ key: 'scene.tif', contentType: COG_CONTENT_TYPE, digest: '' });
    for (let at = 0; at < bytes.length; at += PART_BYTES) await upload.write(bytes.subarray(at, at + PART_BYTES));
    const { kind } = await upload.complete();
    if (kind !== 'created') throw new Error(`the mosaic was not stored: ${kind}`);
    return bytes.length;
  });
};
