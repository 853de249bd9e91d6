import assert from 'node:assert/strict';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { S3SourceStore } from '../../lambda/engines/aws/source-store.ts';
import { canonicalParams } from '../../lambda/pipeline/definition/canonical-params.ts';
import { sceneJobId } from '../../lambda/identity/job-key.ts';
import { type ConnectedStack, connectedStack } from '../cloud/connected.ts';
import { makeBucket } from '../cloud/resources.ts';
import { describeWith } from '../support/requirements.ts';
import { SceneWorld, bandFile, smallPipeline } from '../support/scene-world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { outputBytes } from './outputs.ts';
import { workHere } from './work-here.ts';

const FOLDER = 'L2A/scene 1+é%20/';
const KEYS = [`${FOLDER}S_B04.tif`, `${FOLDER}S_B08.tif`] as const;

let running: ConnectedStack | null = null;

describeWith(['Python'], 'a scene in a bucket, run on this machine', () => {
  beforeAll(async () => {
    running = await connectedStack();
    process.env['AWS_ENDPOINT_URL_S3'] = running.stack.endpoint;
  }, 180_000);

  afterAll(async () => {
    delete process.env['AWS_ENDPOINT_URL_S3'];
    await running?.stack.stop();
  }, 20_000);

  it.each([false, true])(
    'is the job that a deployment would make of it, found by its prefix (versioned: %s)',
    async (versioned) => {
      const { s3 } = running ?? assert.fail('MiniStack is not running');
      const bucket = await makeBucket(s3, { versioned });
      for (const [i, Key] of KEYS.entries()) {
        const Body = bandFile(i + 1);
        await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body, ChecksumAlgorithm: 'SHA256' }));
      }
      const folder = temporaryFolder();
      try {
        const out = join(folder.path, 'out');
        const ids = await workHere(out, smallPipeline(), [`s3://${bucket}/L2A/`, `s3://${bucket}/${KEYS[1]}`]);

        const store = new S3SourceStore({ client: s3 });
        const looks = await Promise.all(KEYS.map(async (key) => (await store.look(bucket, key)) ?? assert.fail(key)));
        expect(ids).toEqual([sceneJobId(looks, canonicalParams(smallPipeline()))]);

        const world = new SceneWorld();
        const other = await world.plan();
        await world.work();
        expect(
          Object.keys(outputBytes(out))
            .map((path) => path.replace(ids[0] ?? '', other))
            .toSorted(),
        ).toEqual(world.engine.objects.keys().toSorted());
      } finally {
        folder.remove();
      }
    },
    60_000,
  );
});
