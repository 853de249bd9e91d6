import assert from 'node:assert/strict';
import { ListObjectVersionsCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { systemClock } from '../../lambda/clock.ts';
import { awsEngine } from '../../lambda/engines/aws/index.ts';
import { SqsQueue } from '../../lambda/engines/aws/queue.ts';
import type { PipelineContext } from '../../lambda/pipeline/context.ts';
import { siblings } from '../../lambda/pipeline/definition/scene-siblings.ts';
import { fanOut } from '../../lambda/pipeline/fan-out.ts';
import { messageBody } from '../../lambda/pipeline/messages.ts';
import { windowJobId } from '../../lambda/identity/job-key.ts';
import { UNEXPLAINED } from '../../lambda/pipeline/recovery/explain-letters.ts';
import { type ConnectedStack, connectedStack } from '../cloud/connected.ts';
import { cloudEnvironment } from '../cloud/ministack.ts';
import { makeBucket, makeQueues, makeTable } from '../cloud/resources.ts';
import { tileonce } from '../local/command.ts';
import { describeWith } from '../support/requirements.ts';
import { SceneWorld, bandFile, smallPipeline } from '../support/scene-world.ts';

let running: ConnectedStack | null = null;

/** A finished scene of a stage, the verbs on it, and its workers. */
const stageWithScene = async () => {
  const { s3, dynamo, sqs, stack } = running ?? assert.fail('MiniStack is not running');
  const bucket = await makeBucket(s3);
  for (const [Key, seed] of [['S_B04.tif', 1] as const, ['S_B08.tif', 2] as const]) {
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: bandFile(seed), ChecksumAlgorithm: 'SHA256' }));
  }
  const { urls, deadLetterUrls } = await makeQueues(sqs);
  const names = {
    ClaimTable: await makeTable(dynamo, 'claims'),
    ManifestTable: await makeTable(dynamo, 'manifest'),
    OutputBucket: await makeBucket(s3, { versioned: true }),
    SceneQueueUrl: urls.scenes,
    TileQueueUrl: urls.tiles,
    AssemblyQueueUrl: urls.assemblies,
    SceneDeadLettersUrl: deadLetterUrls.scenes,
    TileDeadLettersUrl: deadLetterUrls.tiles,
    AssemblyDeadLettersUrl: deadLetterUrls.assemblies,
  };
  const world = new SceneWorld();
  const { ClaimTable: claimsTable, ManifestTable: manifestTable, OutputBucket: outputBucket } = names;
  const telemetry = { event: () => undefined, count: () => undefined };
  const parts = { s3, dynamo, sqs, claimsTable, manifestTable, outputBucket, queueUrls: urls, clock: systemClock };
  const context: PipelineContext = {
    ...world.context,
    ...awsEngine({ ...parts, telemetry }),
    clock: systemClock,
    telemetry,
    queue: new SqsQueue({ client: sqs, urls, clock: systemClock, waitSeconds: 0 }),
  };
  const pipeline = smallPipeline();
  const found = siblings(pipeline, 'S_B04.tif') ?? assert.fail('no band');
  const bandKeys = new Map(found.keys.map(({ band, candidates }) => [band, candidates]));
  const rung = await fanOut(context, { location: '', pipeline, candidates: { bucket, sceneName: 'S', bandKeys } });
  await world.work(context);
  const resources = Object.entries(names).flatMap(([name, value]) => ['--resource', `${name}=${value}`]);
  const verb = async (name: string, ...args: string[]): Promise<unknown> => {
    const env = { ...cloudEnvironment, AWS_ENDPOINT_URL: stack.endpoint };
    const end = await tileonce([name, ...args, '--stage', 'test', '--json', ...resources], { env });
    if (end.stdout === '') assert.fail(`${name}: exit ${end.code}: ${end.stderr}`);
    return JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '');
  };
  const spoil = (Key: string) => s3.send(new PutObjectCommand({ Bucket: outputBucket, Key, Body: 'spoilt' }));
  const versions = async (): Promise<number> => {
    const { Versions: all = [], DeleteMarkers: gone = [] } = await s3.send(
      new ListObjectVersionsCommand({ Bucket: outputBucket }),
    );
    return all.length + gone.length;
  };
  assert.ok('sceneJobId' in rung && 'plan' in rung);
  return { id: rung.sceneJobId, plan: rung.plan, world, context, verb, spoil, versions, deadLetterUrls, sqs };
};

describeWith(['Python'], 'the recovery verbs on a stage', () => {
  beforeAll(async () => {
    running = await connectedStack();
  }, 180_000);

  afterAll(async () => {
    await running?.stack.stop();
  }, 20_000);

  it('tell of a finished scene, and prove that a repeated delivery changes nothing', async () => {
    const { id, verb, versions } = await stageWithScene();
    expect(await verb('status')).toMatchObject({ states: { COMPLETE: 1 }, scenes: [{ scene: id, rows: 9 }] });
    expect(await verb('find', 'S')).toMatchObject({ mosaic: expect.stringMatching(/^s3:\/\/.*scene\.tif$/) });
    const before = await versions();
    expect(await verb('verify')).toEqual({ scenes: 1, findings: [], repairs: [], left: [] });
    expect(await verb('gc')).toMatchObject({ strays: 0 });
    expect(await versions()).toBe(before);
  }, 60_000);

  it('overwrite a spoilt window and purge the scene to its last version', async () => {
    const { id, verb, spoil, versions } = await stageWithScene();
    await spoil(`tiles/${id}/0000_0000.tif`);
    expect(await verb('verify', '--no-replay')).toMatchObject({ findings: [{ kind: 'object-differs' }] });
    expect(await verb('backfill', '--policy', 'overwrite', '--all')).toMatchObject({
      done: { overwritten: 1, unchanged: 8 },
      failed: 0,
    });
    expect(await verb('verify')).toMatchObject({ findings: [] });
    expect(await verb('purge', id)).toMatchObject({ rows: 9, objects: 11 });
    expect(await versions()).toBe(0);
    expect(await verb('status')).toMatchObject({ states: { PURGED: 1 } });
  }, 90_000);

  it('tell what a dead letter died of by the claim of its job, for SQS keeps no reason', async () => {
    const { plan, context, verb, deadLetterUrls, sqs } = await stageWithScene();
    const { sources, sceneJobId } = plan;
    const window = { row: 9, column: 9 };
    const attempt = { jobId: windowJobId(sceneJobId, window), owner: 'worker' };
    const now = systemClock.now();
    await context.claims.claim({ ...attempt, now, leaseUntil: now + 60_000, expiresAt: Math.ceil(now / 1000) + 600 });
    await context.claims.release({ ...attempt, now, error: 'window 9,9: B04.tif (band 1): it ends early' });
    const body = messageBody({ v: 1, plan, sources, location: '', ...window });
    await sqs.send(new SendMessageCommand({ QueueUrl: deadLetterUrls.tiles, MessageBody: body }));
    const group = { queue: 'tiles', error: 'B04.tif (band 1): it ends early', count: 1 };
    expect(await verb('status')).toMatchObject({ deadGroups: [group] });
    expect(await verb('redrive', '--error', 'ends early', '--dry-run')).toMatchObject({ groups: [group] });
  }, 90_000);

  it('send a dead letter back, and a spoilt window through the queue', async () => {
    const { id, plan, world, context, verb, spoil, deadLetterUrls, sqs } = await stageWithScene();
    const { sources } = plan;
    const body = messageBody({ v: 1, plan, sources, location: '', row: 0, column: 0 });
    await sqs.send(new SendMessageCommand({ QueueUrl: deadLetterUrls.tiles, MessageBody: body }));
    expect(await verb('redrive')).toMatchObject({
      total: 1,
      groups: [{ queue: 'tiles', error: UNEXPLAINED.done, count: 1, scenes: ['S'] }],
    });
    expect(await verb('redrive', '--all')).toEqual({ replayed: 1, left: 0 });
    await world.work(context);

    await spoil(`tiles/${id}/0001_0001.tif`);
    // It waits for the stage's functions, which are this process here.
    const over = new AbortController();
    const repairing = verb('verify', '--repair').finally(() => over.abort());
    while (!over.signal.aborted) {
      await world.work(context);
      await systemClock.sleep(200, over.signal);
    }
    expect(await repairing).toMatchObject({ repairs: [{ report: { windows: ['0001_0001'] } }], left: [] });
    expect(await verb('verify')).toMatchObject({ findings: [] });
    expect(await verb('status')).toMatchObject({ states: { COMPLETE: 1 } });
  }, 90_000);
});
