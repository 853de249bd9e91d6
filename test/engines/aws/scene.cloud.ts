import assert from 'node:assert/strict';
import { ListObjectVersionsCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { systemClock } from '../../../lambda/clock.ts';
import { awsEngine } from '../../../lambda/engines/aws/index.ts';
import { SqsQueue } from '../../../lambda/engines/aws/queue.ts';
import type { PipelineContext } from '../../../lambda/pipeline/context.ts';
import { siblings } from '../../../lambda/pipeline/definition/scene-siblings.ts';
import { type FanOutOutcome, fanOut } from '../../../lambda/pipeline/fan-out.ts';
import type { MetricName } from '../../../lambda/telemetry.ts';
import { type ConnectedStack, connectedStack } from '../../cloud/connected.ts';
import { makeBucket, makeQueues, makeTable } from '../../cloud/resources.ts';
import { describeWith } from '../../support/requirements.ts';
import { SceneWorld, bandFile, smallPipeline } from '../../support/scene-world.ts';

const FOLDER = 'L2A/scene 1+é/';

let running: ConnectedStack | null = null;

/** Two bands in a bucket, and the pipeline's own code on the AWS engine. */
const cloudWorld = async (options: { versioned: boolean }) => {
  const { s3, dynamo, sqs } = running ?? assert.fail('MiniStack is not running');
  const bucket = await makeBucket(s3, options);
  for (const [name, seed] of [
    ['S_B04.tif', 1],
    ['S_B08.tif', 2],
  ] as const) {
    const Key = `${FOLDER}${name}`;
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: bandFile(seed), ChecksumAlgorithm: 'SHA256' }));
  }
  const world = new SceneWorld();
  const counts = new Map<MetricName, number>();
  const { urls } = await makeQueues(sqs);
  const outputBucket = await makeBucket(s3, { versioned: true });
  const parts = {
    s3,
    dynamo,
    sqs,
    outputBucket,
    queueUrls: urls,
    clock: systemClock,
    claimsTable: await makeTable(dynamo, 'claims'),
    manifestTable: await makeTable(dynamo, 'manifest'),
    telemetry: {
      event: () => undefined,
      count: (metric: MetricName, value: number) => void counts.set(metric, (counts.get(metric) ?? 0) + value),
    },
  };
  const context: PipelineContext = {
    ...world.context,
    ...awsEngine(parts),
    clock: systemClock,
    telemetry: parts.telemetry,
    queue: new SqsQueue({ client: sqs, urls, clock: systemClock, waitSeconds: 0 }),
  };
  const ring = async (): Promise<FanOutOutcome> => {
    const pipeline = smallPipeline();
    const found = siblings(pipeline, `${FOLDER}S_B04.tif`) ?? assert.fail('no band');
    const bandKeys = new Map(found.keys.map(({ band, candidates }) => [band, candidates]));
    return fanOut(context, { location: bucket, pipeline, candidates: { bucket, sceneName: found.scene, bandKeys } });
  };
  const versions = async (): Promise<string[]> => {
    const { Versions: all = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket: outputBucket }));
    return all.map(({ Key: key = '' }) => key);
  };
  return { world, context, counts, ring, versions };
};

const idOf = (outcome: FanOutOutcome): string => ('sceneJobId' in outcome ? outcome.sceneJobId : assert.fail());

describeWith(['Python'], 'a scene on the AWS engine', () => {
  beforeAll(async () => {
    running = await connectedStack();
  }, 180_000);

  afterAll(async () => {
    await running?.stack.stop();
  }, 20_000);

  it.each([false, true])(
    'has the tiles and the mosaic of any other engine, byte for byte (versioned: %s)',
    async (versioned) => {
      const { world, context, counts, ring } = await cloudWorld({ versioned });
      const id = idOf(await ring());
      await world.work(context);
      expect(world.outcomes()).toEqual({ written: 8, empty: 1 });

      const other = new SceneWorld();
      const otherId = await other.plan();
      await other.work();
      for (const key of other.engine.objects.keys().filter((name) => !name.endsWith('item.json'))) {
        const theirs = await other.engine.objects.get(key);
        const ours = await context.objects.get(key.replace(otherId, id));
        expect(Buffer.compare(ours ?? Buffer.alloc(0), theirs ?? Buffer.alloc(1))).toBe(0);
      }
      expect((await context.manifest.getPlan(id))?.state).toBe('ASSEMBLED');
      expect(await context.manifest.countRows(id)).toBe(9);
      expect(counts.get('BytesRead')).toBeGreaterThan(0);
    },
    60_000,
  );

  it('that rings again, and whose messages come twice to four workers, leaves one version of each object', async () => {
    const { world, context, ring, versions } = await cloudWorld({ versioned: false });
    const outcome = await ring();
    const id = idOf(outcome);
    const twin = await context.queue.receive('tiles', 1_000);
    await context.queue.send('tiles', [twin?.body ?? '']);
    await Promise.all([world.work(context), world.work(context), world.work(context), world.work(context)]);
    // The twin that was received above becomes visible again, like one whose worker died.
    await systemClock.sleep(1_500);
    await world.work(context);
    expect(await context.manifest.countRows(id)).toBe(9);
    const keys = await versions();
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).toHaveLength(8 + 3);
    expect((await ring()).kind).toBe('complete');
    await world.work(context);
    expect(await versions()).toHaveLength(8 + 3);
  }, 60_000);
});
