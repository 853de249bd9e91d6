import { describe, expect, it } from '@jest/globals';
import type { FunctionName } from '../../lambda/environment.ts';
import { RandomKills } from './random-kills.ts';
import { ConnectionCut, type ProxiedCall, type ProxiedReply } from './recording-proxy.ts';
import { STORM_FAULTS, type StormFault, canStrike, hasEffect, labelOf, serviceOf, strike } from './storm-faults.ts';
import { Storm } from './storm.ts';

const call = (method: string, target: string | null, rest: Partial<ProxiedCall> = {}): ProxiedCall => ({
  caller: 'tile',
  port: 1,
  method,
  path: '/',
  query: new URLSearchParams(),
  headers: target === null ? {} : { 'x-amz-target': target },
  body: Buffer.from('{"QueueUrl":"q","Entries":[{"Id":"0","MessageBody":"m"}]}'),
  ...rest,
});
const put = call('PUT', null, { headers: { 'if-none-match': '*' } });
const get = call('GET', null);
const update = call('POST', 'DynamoDB_20120810.UpdateItem');
const send = call('POST', 'AmazonSQS.SendMessageBatch');

const rate = { writes: 0.5, reads: 0.5 };
const stormOf = (seed: number, stubborn = 0): Storm =>
  new Storm({ seed, stubborn, rates: { S3: rate, DynamoDB: rate, SQS: rate }, pause: () => Promise.resolve() });

const drawn = (storm: Storm, calls: readonly ProxiedCall[]): (string | null)[] =>
  calls.map((one) => {
    const blow = storm.blowFor(one);
    return blow === null ? null : `${labelOf(blow.fault)} ${blow.delayMs}`;
  });
const traffic = Array.from({ length: 100 }, () => [put, get, update, send]).flat();

describe('a storm', () => {
  it('strikes the same calls with the same faults where its seed is the same, and others where it is another', () => {
    const first = drawn(stormOf(7), traffic);
    expect(drawn(stormOf(7), traffic)).toEqual(first);
    expect(drawn(stormOf(8), traffic)).not.toEqual(first);
  });

  it('draws for each service alone, however the calls of others are mixed in', () => {
    const alone = traffic.filter((one) => one === update);
    const mixed = drawn(stormOf(7), traffic).filter((_blow, at) => traffic[at] === update);
    expect(mixed).toEqual(drawn(stormOf(7), alone));
  });

  it('strikes with every fault that there is, and counts those that happened', async () => {
    const storm = stormOf(7);
    for (const one of traffic) {
      const reply = { status: 200, headers: {}, body: Buffer.from('{}') };
      await storm.interceptor(one, () => Promise.resolve(reply)).catch(() => null);
    }
    expect(storm.missing).toEqual([]);
    expect([...storm.counts.keys()].toSorted()).toEqual(STORM_FAULTS.map(labelOf).toSorted());
  });

  it('counts no fault whose call never reached the service', async () => {
    const storm = new Storm({
      seed: 7,
      stubborn: 0,
      rates: { S3: rate, DynamoDB: rate, SQS: rate },
      pause: () => Promise.resolve(),
    });
    for (let i = 0; i < 200; i++) await storm.interceptor(put, () => Promise.reject(new Error())).catch(() => null);
    expect([...storm.counts.keys()].filter((label) => label.endsWith('after'))).toEqual([]);
  });

  it('strikes every retry of a stubborn call alike', () => {
    const storm = stormOf(7, 1);
    const retried = (id: number): ProxiedCall => ({
      ...put,
      headers: { ...put.headers, 'amz-sdk-invocation-id': `${id}` },
    });
    const blows = Array.from({ length: 50 }, (_, id) => drawn(storm, [retried(id), retried(id), retried(id)]));
    const stubborn = blows.filter(([first]) => typeof first === 'string' && !/delayed/u.test(first));
    expect(stubborn.length).toBeGreaterThan(10);
    for (const tries of stubborn) expect(new Set(tries).size).toBe(1);
  });

  it('leaves everyone alone but the functions, and them too once it is over', () => {
    const storm = stormOf(7);
    expect(
      drawn(
        storm,
        traffic.map((one) => ({ ...one, caller: null })),
      ).filter(Boolean),
    ).toEqual([]);
    storm.end();
    expect(drawn(storm, traffic).filter(Boolean)).toEqual([]);
  });
});

describe('a fault of a storm', () => {
  const events: string[] = [];
  const outcome = async (fault: StormFault): Promise<string> => {
    events.length = 0;
    const forward = (): Promise<ProxiedReply> => {
      events.push('effect');
      return Promise.resolve({ status: 200, headers: {}, body: Buffer.from('done') });
    };
    const pause = (): Promise<void> => Promise.resolve(void events.push('pause'));
    try {
      const { status, body, cutAfter } = await strike(fault, 1, forward, pause);
      events.push(cutAfter === undefined ? `${status}` : `${body.subarray(0, cutAfter).toString()} and cut`);
    } catch (error) {
      events.push(error instanceof ConnectionCut ? 'cut' : 'error');
    }
    return events.join(', ');
  };

  it.each([
    ['S3: delayed before', 'pause, effect, 200'],
    ['S3: delayed after', 'effect, pause, 200'],
    ['DynamoDB: held past its timeout before', 'pause, effect, 200'],
    ['S3: cut before', 'cut'],
    ['S3: cut after', 'effect, cut'],
    ['S3: cut in the middle after', 'effect, do and cut'],
    ['S3: SlowDown before', '503'],
    ['S3: SlowDown after', 'effect, 503'],
    ['S3: ConditionalRequestConflict after', 'effect, 409'],
    ['DynamoDB: ThrottlingException before', '400'],
    ['DynamoDB: InternalServerError after', 'effect, 500'],
    ['SQS: carried out twice after', 'effect, effect, 200'],
  ])('%s: %s', async (label, expected) => {
    const fault = STORM_FAULTS.find((one) => labelOf(one) === label);
    expect(fault === undefined ? label : await outcome(fault)).toBe(expected);
  });

  it('strikes after the effect only where there is one', () => {
    const after = STORM_FAULTS.filter(({ kind, side }) => side === 'after' && (kind === 'cut' || kind === 'error'));
    const read = call('POST', 'DynamoDB_20120810.GetItem');
    for (const one of [get, read]) expect(after.filter((fault) => canStrike(fault, one))).toEqual([]);
    expect([put, update, send, get, read].map(hasEffect)).toEqual([true, true, true, false, false]);
    expect([put, update, send].map(serviceOf)).toEqual(['S3', 'DynamoDB', 'SQS']);
  });
});

describe('random kills', () => {
  const mostBetween = { 'fan-out': 3, tile: 3, count: 3, assemble: 3, reap: 3 };
  const invocation = (traceId: string, caller: FunctionName = 'tile'): ProxiedCall =>
    call('GET', null, { caller, headers: { 'x-amzn-trace-id': traceId } });

  /** Invocations of three calls, 10 ms apart; a killed one makes no more. */
  const run = async (
    seed: number,
    mostMs: number,
  ): Promise<{ kills: RandomKills; killed: number; effects: number }> => {
    let [now, killed, effects] = [0, 0, 0];
    const kills = new RandomKills({ seed, mostBetween, mostMs, kill: () => void (killed += 1), now: () => now });
    for (let i = 0; i < 30; i++) {
      const before = killed;
      for (const _call of [1, 2, 3]) {
        if (killed > before) break;
        const forward = (): Promise<ProxiedReply> => {
          now += 10;
          effects += 1;
          return Promise.resolve({ status: 200, headers: {}, body: Buffer.alloc(0) });
        };
        await kills.interceptor(invocation(`trace ${i}`), forward).catch(() => null);
      }
    }
    return { kills, killed, effects };
  };

  it('strike the same invocations at the same time where the seed is the same', async () => {
    const [first, again, other] = [await run(7, 25), await run(7, 25), await run(8, 25)];
    expect(again.kills.kills).toEqual(first.kills.kills);
    expect(other.kills.kills).not.toEqual(first.kills.kills);
    expect(first.killed).toBe(first.kills.kills.length);
    expect(first.killed).toBeGreaterThanOrEqual(10);
    expect(new Set(first.kills.kills.map(({ side }) => side))).toEqual(new Set(['after']));
  });

  it('pass from an invocation that was quicker than its fate to a later one', async () => {
    const { kills } = await run(7, 100_000);
    expect(kills.kills.length).toBeGreaterThan(0);
    expect(kills.missing).toEqual(['fan-out', 'count', 'assemble', 'reap']);
  });

  it('never pass a call on whose caller was killed before it', async () => {
    let now = 0;
    const kills = new RandomKills({
      seed: 1,
      mostBetween: { ...mostBetween, tile: 1 },
      mostMs: 50,
      kill: () => undefined,
      now: () => now,
    });
    let effects = 0;
    const forward = (): Promise<ProxiedReply> => {
      effects += 1;
      return Promise.resolve({ status: 200, headers: {}, body: Buffer.alloc(0) });
    };
    await kills.interceptor(invocation('a'), forward);
    now = 60;
    await expect(kills.interceptor(invocation('a'), forward)).rejects.toThrow(ConnectionCut);
    expect([effects, kills.kills]).toEqual([1, [{ caller: 'tile', invocation: 1, afterMs: 60, side: 'before' }]]);
  });
});
