import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { answeringServer } from '../engines/aws/answering-server.ts';
import { bandFile } from '../support/scene-world.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { reportOf, tileonce } from './command.ts';
import { faultsOf } from './faults.ts';
import { outputBytes } from './outputs.ts';
import { pipelineFile } from './scenes.ts';
import { serveObjects } from './served-objects.ts';

const NDVI = {
  pipeline: 'ndvi',
  version: '1',
  bands: { B04: { suffix: 'B04.tif' }, B08: { suffix: 'B08.tif' } },
  expression: '(B08 - B04) / (B08 + B04)',
  dst_crs: 'source',
  tile_px: 16,
};
const objects = new Map([
  ['/scenes/L2A/S_B04.tif', bandFile(1)],
  ['/scenes/L2A/S_B08.tif', bandFile(2)],
]);

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

describe('run', () => {
  it('takes a scene from a web server and from a public bucket, with worker threads: the same pixels', async () => {
    await using server = await answeringServer(serveObjects(objects));
    const pipeline = pipelineFile(folder.path, NDVI);
    const env = { AWS_ENDPOINT_URL_S3: server.endpoint, AWS_ACCESS_KEY_ID: '', AWS_REGION: '' };
    const run = async (address: string, name: string, ...flags: readonly string[]) => {
      const out = join(folder.path, name);
      const line = ['run', address, '--pipeline', pipeline, '--out', out, '--workers', '2', '--json', ...flags];
      const end = await tileonce(line, { env });
      expect(faultsOf(end)).toEqual([]);
      const { scene, windows, written, alreadyPresent, empty } = reportOf(end);
      const tiles = Object.entries(outputBytes(out)).filter(([path]) => path.endsWith('.tif'));
      return {
        counts: { windows, written, alreadyPresent, empty },
        tiles: tiles.map(([path, sha256]) => [path.replace(scene, 'JOB'), sha256]),
      };
    };
    const web = await run(`${server.endpoint}/scenes/L2A/S_B04.tif`, 'web');
    expect(web.counts).toEqual({ windows: 9, written: 8, alreadyPresent: 0, empty: 1 });
    const bucket = await run('s3://scenes/L2A/', 'bucket', '--anonymous');
    expect(bucket.tiles).toEqual(web.tiles);
    const again = await run('s3://scenes/L2A/', 'bucket', '--anonymous');
    expect(again.counts).toEqual({ windows: 9, written: 0, alreadyPresent: 8, empty: 1 });
  }, 120_000);

  it.each([
    [['https://example.org/B04.tif?sig=secret'], 1, /B04\.tif: a URL with a signature is not read/],
    [['https://example.org/scenes/'], 1, /web servers do not list what they have/],
    [['gs://scenes/B04.tif'], 1, /gs:\/\/ is not read/],
    [['s3://scenes/', '--anonymous', '--requester-pays'], 2, /contradict each other/],
  ])(
    'refuses %j in one line',
    async (args, code, message) => {
      const pipeline = pipelineFile(folder.path, NDVI);
      const end = await tileonce(['run', ...args, '--pipeline', pipeline, '--out', join(folder.path, 'out')]);
      expect(end.code).toBe(code);
      expect(end.stderr.trim().split('\n')).toEqual([expect.stringMatching(message)]);
      expect(end.stderr).not.toContain('secret');
    },
    60_000,
  );

  it('says what is missing of a scene in a bucket, and what cannot be reached', async () => {
    await using server = await answeringServer(serveObjects(new Map([...objects].slice(0, 1))));
    const pipeline = pipelineFile(folder.path, NDVI);
    const line = (address: string) => ['run', address, '--pipeline', pipeline, '--out', join(folder.path, 'out')];
    const env = { AWS_ENDPOINT_URL_S3: server.endpoint };
    const missing = await tileonce([...line('s3://scenes/L2A/'), '--anonymous'], { env });
    expect(missing.code).toBe(1);
    expect(faultsOf(missing)).toEqual([expect.stringContaining('missing in s3://scenes: B08 (L2A/S_B08.tif or')]);
    const gone = await tileonce([...line('s3://scenes/nowhere/'), '--anonymous'], { env });
    expect(faultsOf(gone)).toEqual([expect.stringContaining('no band of pipeline ndvi lies in s3://scenes/nowhere/')]);
  }, 60_000);
});
