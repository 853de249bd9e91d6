import { describe, expect, it } from '@jest/globals';
import type { SQSEvent } from 'aws-lambda';
import { StoreUnavailableError, TileonceError } from '../../lambda/errors.ts';
import { runtimeTimingSchema } from '../../lambda/environment.ts';
import type { QueueName } from '../../lambda/gates/queue.ts';
import { WAIT_JITTER_MS } from '../../lambda/pipeline/disposition.ts';
import { queueHandler } from '../../lambda/serverless/queue-handler.ts';
import { SceneWorld } from '../support/scene-world.ts';

const timing = runtimeTimingSchema.parse({
  leaseMs: 930_000,
  claimedRowTtlSeconds: 21 * 86_400,
  visibilityMs: 960_000,
  abortMarginMs: 20_000,
  retryMs: 30_000,
  maxReceives: 3,
  outageHideMs: [960_000, 14_400_000],
  healAfterMs: 1_920_000,
  overdueMs: 7_200_000,
});

/** A runtime on the in-memory engine whose queue notes how long each receipt was hidden. */
const setUp = () => {
  const world = new SceneWorld();
  const hidden = new Map<string, number>();
  const queue = Object.assign(world.engine.queue, {
    hide: async (_queue: QueueName, receipt: string, ms: number) => void hidden.set(receipt, ms),
  });
  const logged: string[] = [];
  const telemetry = {
    about: () => undefined,
    event: (_level: string, name: string) => void logged.push(name),
    count: () => undefined,
    flush: () => void logged.push('flushed'),
  };
  const runtime = { context: { ...world.context, queue }, telemetry, timing };
  return { world, hidden, logged, runtime };
};

const event = (...receives: number[]): SQSEvent => ({
  Records: receives.map((count, i) => ({
    messageId: `m${i}`,
    receiptHandle: `r${i}`,
    body: `body ${i}`,
    attributes: {
      ApproximateReceiveCount: String(count),
      SentTimestamp: '0',
      SenderId: '',
      ApproximateFirstReceiveTimestamp: '0',
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: '',
    awsRegion: '',
  })),
});
const lambda = (remaining = 900_000) => ({ getRemainingTimeInMillis: () => remaining });

describe('a message', () => {
  it('that is done is acknowledged: it is not reported', async () => {
    const { runtime, hidden, logged } = setUp();
    const handler = queueHandler(runtime, 'tiles', async () => ({ kind: 'done' }));
    expect(await handler(event(1), lambda())).toEqual({ batchItemFailures: [] });
    expect(hidden.size).toBe(0);
    expect(logged).toEqual(['flushed']);
  });

  it('that waits for a live lease is hidden until that has run out, and not acknowledged', async () => {
    const { runtime, hidden, world } = setUp();
    const leaseUntil = world.engine.clock.now() + 600_000;
    const handler = queueHandler(runtime, 'tiles', async () => ({ kind: 'live', leaseUntil, attempts: 1 }));
    expect(await handler(event(1), lambda())).toEqual({ batchItemFailures: [{ itemIdentifier: 'm0' }] });
    expect(hidden.get('r0')).toBeGreaterThanOrEqual(600_000);
    expect(hidden.get('r0')).toBeLessThanOrEqual(600_000 + WAIT_JITTER_MS);
  });

  describe('that waits for a live lease near its last receive', () => {
    const waitingFor = (attempts: number) => {
      const parts = setUp();
      const { clock } = parts.world.engine;
      const live = { kind: 'live', leaseUntil: clock.now() + 600_000, attempts } as const;
      return { ...parts, handler: queueHandler(parts.runtime, 'tiles', async () => live) };
    };
    const copies = ({ world }: ReturnType<typeof setUp>) =>
      world.engine.queue.messages.map(({ queue, body, receiveCount, visibleAt }) => {
        const waits = visibleAt - world.engine.clock.now();
        return { queue, body, receiveCount, later: waits >= 600_000 && waits <= 600_000 + WAIT_JITTER_MS };
      });

    it.each([2, 3])('is replaced by one copy whose receives start anew (receive %i)', async (receives) => {
      const parts = waitingFor(1);
      expect(await parts.handler(event(receives), lambda())).toEqual({ batchItemFailures: [] });
      expect(copies(parts)).toEqual([{ queue: 'tiles', body: 'body 0', receiveCount: 0, later: true }]);
      expect(parts.hidden.size).toBe(0);
    });

    it('is hidden as it is where the copy is not confirmed: it is never lost', async () => {
      const parts = waitingFor(1);
      parts.world.engine.faults.failBefore('queue.send tiles');
      expect((await parts.handler(event(3), lambda())).batchItemFailures).toHaveLength(1);
      expect(parts.hidden.get('r0')).toBeGreaterThanOrEqual(600_000);
      expect(copies(parts)).toEqual([]);
    });

    it('is hidden as it is where its job was attempted nine times: a message that kills its worker must end', async () => {
      const parts = waitingFor(9);
      expect((await parts.handler(event(3), lambda())).batchItemFailures).toHaveLength(1);
      expect(copies(parts)).toEqual([]);
    });
  });

  it('that meets an outage is hidden 16 minutes at its first receive and 4 hours at later ones', async () => {
    const { runtime, hidden } = setUp();
    const handler = queueHandler(runtime, 'tiles', () => Promise.reject(new StoreUnavailableError('down')));
    expect((await handler(event(1, 2, 3), lambda())).batchItemFailures).toHaveLength(3);
    expect([hidden.get('r0'), hidden.get('r1'), hidden.get('r2')]).toEqual([960_000, 14_400_000, 14_400_000]);
  });

  it('that fails is reported alone; its neighbours are done', async () => {
    const { runtime } = setUp();
    const handler = queueHandler(runtime, 'tiles', (body) =>
      body === 'body 1'
        ? Promise.reject(new TileonceError('no such block'))
        : Promise.resolve({ kind: 'done' as const }),
    );
    expect(await handler(event(1, 1, 1), lambda())).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
  });

  it('comes back by its visibility where it cannot even be hidden', async () => {
    const { runtime } = setUp();
    Object.assign(runtime.context.queue, { hide: () => Promise.reject(new StoreUnavailableError('down')) });
    const handler = queueHandler(runtime, 'tiles', () => Promise.reject(new StoreUnavailableError('down')));
    expect((await handler(event(1), lambda())).batchItemFailures).toEqual([{ itemIdentifier: 'm0' }]);
  });

  it('whose function runs out of time is stopped before the deadline', async () => {
    const { runtime } = setUp();
    const handler = queueHandler(
      runtime,
      'tiles',
      (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        }),
    );
    expect((await handler(event(1), lambda(timing.abortMarginMs))).batchItemFailures).toHaveLength(1);
  });
});
