import { describe, expect, it } from '@jest/globals';
import { LeaseLostError } from '../../../lambda/gates/claim-errors.ts';
import { windowJobId } from '../../../lambda/identity/job-key.ts';
import { tileKey } from '../../../lambda/identity/output-keys.ts';
import type { PipelineContext } from '../../../lambda/pipeline/context.ts';
import { messageBody } from '../../../lambda/pipeline/messages.ts';
import { purgeWindow } from '../../../lambda/pipeline/recovery/purge-scene.ts';
import { verifyScene } from '../../../lambda/pipeline/recovery/verify-scene.ts';
import { finishedScene, sceneOf } from './operator.ts';

const WINDOW = { row: 0, column: 0 };
const LEASE_MS = 930_000;
const BEATING = { leaseMs: 60_000, heartbeatMs: 20_000, claimedRowTtlSeconds: 86_400 };

/** A deletion of one window's output that stands still between its row and its object. */
const standingStill = async (change: (context: PipelineContext) => PipelineContext = (context) => context) => {
  const { world, id } = await finishedScene();
  const { plan } = await sceneOf(world, id);
  const key = tileKey(plan.sceneJobId, WINDOW);
  const hold = world.engine.faults.hold(`objects.head ${key}`);
  const deletion = purgeWindow(change(world.context), plan, WINDOW).catch((error: unknown) => error);
  await hold.reached;
  /** Somebody is asked for the window: does it anew, or waits for the deletion's lease. */
  const askForWindow = async (): Promise<void> => {
    const message = { v: 1, plan, sources: plan.sources, location: '', ...WINDOW } as const;
    await world.engine.queue.send('tiles', [messageBody(message)]);
    await world.work();
  };
  const findings = async () =>
    (await verifyScene(world.context, await sceneOf(world, id), { readBytes: false })).map(({ kind }) => kind);
  return { world, plan, key, hold, deletion, askForWindow, findings };
};

describe('a deletion that stands still until its lease has ended', () => {
  it('goes no further: the object that somebody made its own meanwhile stays, and so does its row', async () => {
    const { world, hold, deletion, askForWindow, findings } = await standingStill();
    await world.engine.clock.advance(LEASE_MS + 1);
    await askForWindow();
    hold.release();
    expect(await deletion).toBeInstanceOf(LeaseLostError);
    expect(await findings()).toEqual([]);
  });

  it('would leave a row without an object if it did not look at the monotonic clock', async () => {
    const stopped = (context: PipelineContext): PipelineContext => ({
      ...context,
      clock: { ...context.clock, now: context.clock.now, sleep: context.clock.sleep, monotonic: () => 0 },
    });
    const { world, hold, deletion, askForWindow, findings } = await standingStill(stopped);
    await world.engine.clock.advance(LEASE_MS + 1);
    await askForWindow();
    hold.release();
    await deletion;
    expect(await findings()).toEqual(['object-gone']);
  });
});

describe('a deletion whose claim has a heartbeat', () => {
  const beating = (context: PipelineContext): PipelineContext => ({ ...context, claimTiming: BEATING });

  it('keeps its lease however long it takes: who asks for the window waits', async () => {
    const { world, plan, key, hold, deletion, askForWindow } = await standingStill(beating);
    await world.engine.clock.advance(20 * BEATING.leaseMs);
    await askForWindow();
    expect(world.engine.queue.messages).toHaveLength(1);
    hold.release();
    expect(await deletion).toMatchObject({ row: true });
    expect(await world.engine.objects.head(key)).toBeNull();
    expect(await world.engine.claims.get(windowJobId(plan.sceneJobId, WINDOW))).toBeNull();
  });

  it('goes no further once its heartbeat finds another owner', async () => {
    const { world, plan, key, hold, deletion } = await standingStill(beating);
    const jobId = windowJobId(plan.sceneJobId, WINDOW);
    const claim = await world.engine.claims.get(jobId);
    if (claim !== null) world.engine.claims.rows.set(jobId, { ...claim, owner: 'rival' });
    await world.engine.clock.advance(BEATING.heartbeatMs);
    hold.release();
    expect(await deletion).toBeInstanceOf(LeaseLostError);
    expect(await world.engine.objects.head(key)).not.toBeNull();
    expect((await world.engine.claims.get(jobId))?.owner).toBe('rival');
  });

  it('goes no further where the store was away until the lease had ended', async () => {
    const { world, key, hold, deletion } = await standingStill(beating);
    const restore = world.engine.faults.outage('claims');
    await world.engine.clock.advance(BEATING.leaseMs + 1);
    restore();
    hold.release();
    expect(await deletion).toBeInstanceOf(LeaseLostError);
    expect(await world.engine.objects.head(key)).not.toBeNull();
  });
});
