import { afterEach, describe, expect, it } from '@jest/globals';
import { StoreUnavailableError, TileonceError } from '../../lambda/errors.ts';
import { ClaimGateDisabledError, LeaseLostError } from '../../lambda/gates/claim-errors.ts';
import type { ClaimAttempt, ClaimTiming } from '../../lambda/gates/claim-layer.ts';
import type { ClaimStore } from '../../lambda/gates/claim-store.ts';
import { type ClaimOutcome, withClaim } from '../../lambda/gates/claim.ts';
import type { MetricName, Telemetry } from '../../lambda/telemetry.ts';
import { settle } from '../support/manual-clock.ts';
import { IgnoresOwner } from '../support/memory/broken-claim-stores.ts';
import { Faults } from '../support/memory/faults.ts';
import { MemoryEngine } from '../support/memory-engine.ts';

const JOB = 'job';
const CEILING: ClaimTiming = { leaseMs: 930_000, heartbeatMs: null, claimedRowTtlSeconds: 21 * 86_400 };
const BEATING: ClaimTiming = { leaseMs: 60_000, heartbeatMs: 20_000, claimedRowTtlSeconds: 21 * 86_400 };

const setUp = (timing = CEILING) => {
  const engine = new MemoryEngine();
  const counts = new Map<MetricName, number>();
  const telemetry: Telemetry = {
    event: () => undefined,
    count: (metric, value) => counts.set(metric, (counts.get(metric) ?? 0) + value),
  };
  const attempt = (owner: string, store: ClaimStore = engine.claims): ClaimAttempt => ({
    jobId: JOB,
    owner,
    store,
    clock: engine.clock,
    timing,
  });
  const run = (owner: string, work: (signal: AbortSignal) => Promise<number>, signal?: AbortSignal) =>
    withClaim(attempt(owner), telemetry, work, signal);
  return { engine, counts, telemetry, attempt, run };
};

describe('a job under its claim', () => {
  it('works once, and a second delivery gets the stored result', async () => {
    const { run, counts } = setUp();
    let works = 0;
    const work = async (): Promise<number> => ++works * 10;
    expect(await run('a', work)).toEqual({ kind: 'worked', result: 10 });
    expect(await run('b', work)).toMatchObject({ kind: 'committed', result: 10 });
    expect(works).toBe(1);
    expect(counts.get('ClaimsRefusedCommitted')).toBe(1);
  });

  it('stays committed whatever its age', async () => {
    const { run, engine } = setUp();
    await run('a', async () => 1);
    await engine.clock.advance(10 * 365 * 86_400_000);
    expect(await run('b', async () => 2)).toMatchObject({ kind: 'committed', result: 1 });
  });

  it('tells a second worker when the live lease ends, and does not work', async () => {
    const { run, engine } = setUp();
    const hold = Promise.withResolvers<number>();
    const first = run('a', () => hold.promise);
    await settle();
    const started = engine.clock.now();
    await engine.clock.advance(1_000);
    const second: ClaimOutcome = await run('b', async () => 2);
    expect(second).toEqual({ kind: 'live', leaseUntil: started + 930_000, attempts: 1 });
    hold.resolve(1);
    expect(await first).toEqual({ kind: 'worked', result: 1 });
  });

  it('is taken over once the lease of a dead worker has lapsed', async () => {
    const { run, engine, counts } = setUp();
    void run('dead', () => new Promise<number>(() => undefined));
    await settle();
    await engine.clock.advance(930_001);
    expect(await run('b', async () => 2)).toEqual({ kind: 'worked', result: 2 });
    expect(counts.get('LeasesTaken')).toBe(1);
    expect((await engine.claims.get(JOB))?.attempts).toBe(2);
  });

  it('cannot be committed by its former owner, whose result is thrown away', async () => {
    const { run, engine, counts } = setUp();
    const hold = Promise.withResolvers<number>();
    const stale = run('stale', () => hold.promise);
    await settle();
    await engine.clock.advance(930_001);
    await run('b', async () => 2);
    hold.resolve(1);
    await expect(stale).rejects.toThrow(LeaseLostError);
    expect(counts.get('LeaseLost')).toBe(1);
    expect((await engine.claims.get(JOB))?.result).toBe('2');
  });

  it('would be committed by its former owner if the commit did not carry the owner', async () => {
    const { engine, attempt, telemetry } = setUp();
    const store = new IgnoresOwner(new Faults());
    const hold = Promise.withResolvers<number>();
    const stale = withClaim(attempt('stale', store), telemetry, () => hold.promise);
    await settle();
    await engine.clock.advance(930_001);
    const second = Promise.withResolvers<number>();
    const rival = withClaim(attempt('b', store), telemetry, () => second.promise);
    await settle();
    hold.resolve(1);
    expect(await stale).toEqual({ kind: 'worked', result: 1 });
    second.resolve(2);
    await rival.catch(() => undefined);
  });

  it('that fails is released at once, its row kept, its own error thrown', async () => {
    const { run, engine } = setUp();
    const failure = new Error('no such block');
    await expect(run('a', () => Promise.reject(failure))).rejects.toBe(failure);
    expect(await engine.claims.get(JOB)).toMatchObject({ state: 'CLAIMED', owner: 'a', attempts: 1 });
    await engine.clock.advance(1);
    expect(await run('b', async () => 2)).toEqual({ kind: 'worked', result: 2 });
  });

  it('that fails says of what on its row, on one line of at most 500 characters, until it is claimed again', async () => {
    const { run, engine } = setUp();
    const lastError = async () => (await engine.claims.get(JOB))?.lastError;
    const failing = async (error: Error): Promise<void> => {
      const work = async (): Promise<number> => {
        throw error;
      };
      await expect(run('a', work)).rejects.toBe(error);
    };
    await failing(new TileonceError('B04.tif\n ends early', { remedy: 'upload it again' }));
    expect(await lastError()).toBe('B04.tif ends early: upload it again');
    await engine.clock.advance(1);
    await failing(new RangeError('x'.repeat(900)));
    expect(await lastError()).toMatch(/^RangeError: x{487}…$/);
    await engine.clock.advance(1);
    await run('b', async () => 2);
    expect(await lastError()).toBeNull();
  });

  it('that fails while the store is down still throws its own error', async () => {
    const { run, engine } = setUp();
    const failure = new Error('no such block');
    engine.faults.failBefore('claims.release');
    await expect(run('a', () => Promise.reject(failure))).rejects.toBe(failure);
  });

  it('does no work while the store is down', async () => {
    const { run, engine } = setUp();
    engine.faults.outage('claims');
    let works = 0;
    await expect(
      run('a', async () => {
        works++;
        return 1;
      }),
    ).rejects.toThrow(StoreUnavailableError);
    expect(works).toBe(0);
  });

  it('may be claimed again by the same owner, whose first reply was lost', async () => {
    const { run, engine } = setUp();
    engine.faults.dropReply('claims.claim');
    await expect(run('a', async () => 1)).rejects.toThrow(StoreUnavailableError);
    expect(await run('a', async () => 1)).toEqual({ kind: 'worked', result: 1 });
    expect((await engine.claims.get(JOB))?.attempts).toBe(1);
  });

  it('counts as committed where the reply of its commit was lost', async () => {
    const { run, engine } = setUp();
    engine.faults.dropReply('claims.commit');
    await expect(run('a', async () => 1)).rejects.toThrow(StoreUnavailableError);
    expect(await run('b', async () => 2)).toMatchObject({ kind: 'committed', result: 1 });
  });

  it('loses its time to live with the commit', async () => {
    const { run, engine } = setUp();
    await run('a', async () => 1);
    expect((await engine.claims.get(JOB))?.expiresAt).toBeNull();
  });

  it('has one winner among many that come at once', async () => {
    const { run } = setUp();
    let works = 0;
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        run(`owner-${i}`, async () => {
          works++;
          await settle();
          return i;
        }),
      ),
    );
    expect(works).toBe(1);
    expect(outcomes.filter(({ kind }) => kind === 'worked')).toHaveLength(1);
  });
});

describe('the switch that would turn the gate off', () => {
  afterEach(() => {
    delete process.env['POWERTOOLS_IDEMPOTENCY_DISABLED'];
  });

  it('is refused, not obeyed', async () => {
    const { run } = setUp();
    process.env['POWERTOOLS_IDEMPOTENCY_DISABLED'] = 'true';
    await expect(run('a', async () => 1)).rejects.toThrow(ClaimGateDisabledError);
  });
});

describe('a heartbeat', () => {
  it('keeps the lease of long work alive', async () => {
    const { run, engine } = setUp(BEATING);
    const hold = Promise.withResolvers<number>();
    const first = run('a', () => hold.promise);
    await settle();
    await engine.clock.advance(10 * 60_000);
    expect((await run('b', async () => 2)).kind).toBe('live');
    hold.resolve(1);
    expect(await first).toEqual({ kind: 'worked', result: 1 });
  });

  it('aborts the work at once where another owner has the job', async () => {
    const { run, engine } = setUp(BEATING);
    const first = run('a', (signal) => aborted(signal));
    const failure = failureOf(first);
    await settle();
    await engine.claims.release({ jobId: JOB, owner: 'a', now: engine.clock.now() });
    await engine.clock.advance(1);
    await engine.claims.claim({
      jobId: JOB,
      owner: 'thief',
      now: engine.clock.now(),
      leaseUntil: engine.clock.now() + 60_000,
      expiresAt: 0,
    });
    await engine.clock.advance(20_000);
    expect(await failure).toBeInstanceOf(LeaseLostError);
  });

  it('goes on through an outage that is shorter than the lease', async () => {
    const { run, engine } = setUp(BEATING);
    const hold = Promise.withResolvers<number>();
    const first = run('a', () => hold.promise);
    await settle();
    const end = engine.faults.outage('claims');
    await engine.clock.advance(35_000);
    end();
    await engine.clock.advance(60_000);
    hold.resolve(1);
    expect(await first).toEqual({ kind: 'worked', result: 1 });
  });

  it('aborts the work when the lease ends during an outage, and not before', async () => {
    const { run, engine } = setUp(BEATING);
    let abortedAt: number | null = null;
    const first = run('a', async (signal) => {
      signal.addEventListener('abort', () => {
        abortedAt = engine.clock.monotonic();
      });
      return aborted(signal);
    });
    const failure = failureOf(first);
    await settle();
    engine.faults.outage('claims');
    await engine.clock.advance(59_999);
    expect(abortedAt).toBeNull();
    await engine.clock.advance(1);
    expect(abortedAt).toBe(60_000);
    expect(await failure).toBeInstanceOf(LeaseLostError);
  });

  it('aborts the work when the lease ends while the store has not even answered', async () => {
    const { run, engine } = setUp(BEATING);
    let abortedAt: number | null = null;
    const first = run('a', async (signal) => {
      signal.addEventListener('abort', () => {
        abortedAt = engine.clock.monotonic();
      });
      return aborted(signal);
    });
    const failure = failureOf(first);
    await settle();
    const hold = engine.faults.hold('claims.extend');
    await engine.clock.advance(59_999);
    expect(abortedAt).toBeNull();
    await engine.clock.advance(1);
    expect(abortedAt).toBe(60_000);
    hold.release();
    expect(await failure).toBeInstanceOf(LeaseLostError);
  });

  it('stops with the work', async () => {
    const { run, engine } = setUp(BEATING);
    await run('a', async () => 1);
    const committed = await engine.claims.get(JOB);
    await engine.clock.advance(120_000);
    expect(await engine.claims.get(JOB)).toEqual(committed);
  });
});

const failureOf = (run: Promise<unknown>): Promise<unknown> =>
  run.then(
    () => null,
    (error: unknown) => error,
  );

const aborted = (signal: AbortSignal): Promise<number> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
  });

describe('the caller', () => {
  it('stops the work with its own signal, and the lease is released', async () => {
    const { run, engine } = setUp();
    const stop = new AbortController();
    const first = run('a', (signal) => aborted(signal), stop.signal);
    const failure = failureOf(first);
    await settle();
    stop.abort();
    expect(await failure).toMatchObject({ message: 'aborted' });
    await engine.clock.advance(1);
    expect((await run('b', async () => 2)).kind).toBe('worked');
  });
});
