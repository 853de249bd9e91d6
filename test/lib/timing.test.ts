import { describe, expect, test } from '@jest/globals';
import { TimingError, runtimeTiming, timingOf } from '../../lib/timing.ts';

const brokenBy = (options: Parameters<typeof timingOf>[0]): readonly string[] => {
  try {
    timingOf(options);
    return [];
  } catch (error) {
    if (error instanceof TimingError) return error.broken;
    throw error;
  }
};

describe('the deployment times', () => {
  test('follow from a ceiling of 900 s', () => {
    expect(timingOf()).toEqual({
      ceilingSeconds: 900,
      leaseSeconds: 930,
      visibilitySeconds: 960,
      abortMarginSeconds: 20,
      settleSeconds: 60,
      maxReceives: 3,
      outageHideSeconds: [960, 14_400],
      queueRetentionSeconds: 4 * 86_400,
      deadLetterRetentionSeconds: 14 * 86_400,
      claimedRowSeconds: 21 * 86_400,
      healAfterSeconds: 1920,
      reapMinutes: 5,
      retrySeconds: 30,
      reapCeilingSeconds: 300,
      countCeilingSeconds: 60,
      overdueSeconds: 7200,
    });
  });

  test('follow a shorter ceiling down', () => {
    const { leaseSeconds, visibilitySeconds, healAfterSeconds } = timingOf({ ceilingSeconds: 300 });
    expect([leaseSeconds, visibilitySeconds, healAfterSeconds]).toEqual([330, 360, 720]);
  });

  test.each([
    [{ leaseSeconds: 900 }, 'ceiling + clock skew (930 s) <= lease (900 s) does not hold'],
    [{ visibilitySeconds: 930 }, 'lease + clock skew (960 s) <= visibility (930 s) does not hold'],
    [{ ceilingSeconds: 901 }, "ceiling (901 s) <= Lambda's longest timeout (900 s) does not hold"],
    [{ ceilingSeconds: 20 }, 'abort margin (20 s) < ceiling (20 s) does not hold'],
    [{ skewSeconds: 0 }, '0 < clock skew (0 s) does not hold'],
    [{ settleSeconds: 901 }, "settle (901 s) <= SQS's longest delay (900 s) does not hold"],
    [
      { claimedRowDays: 18 },
      'dead-letter retention + queue retention + receives x visibility (1558080 s) < lifetime of a claimed row (1555200 s) does not hold',
    ],
    [{ deadLetterRetentionDays: 4 }, 'queue retention (345600 s) < dead-letter retention (345600 s) does not hold'],
    [{ maxReceives: 0 }, '0 < receives before the dead-letter queue (0 receives) does not hold'],
    [{ reapMinutes: 0.5 }, "one minute (60 s) <= reaper's cadence (30 s) does not hold"],
    [{ overdueMinutes: 15 }, 'settle + visibility (1020 s) < overdue age (900 s) does not hold'],
  ])('%j is refused, naming the inequality', (options, inequality) => {
    expect(brokenBy(options)).toContain(inequality);
  });

  test('names every broken inequality at once', () => {
    expect(brokenBy({ leaseSeconds: 900, settleSeconds: 1000, claimedRowDays: 5 })).toHaveLength(3);
  });

  test('reach the functions in milliseconds', () => {
    expect(runtimeTiming(timingOf())).toEqual({
      leaseMs: 930_000,
      claimedRowTtlSeconds: 1_814_400,
      visibilityMs: 960_000,
      abortMarginMs: 20_000,
      retryMs: 30_000,
      maxReceives: 3,
      outageHideMs: [960_000, 14_400_000],
      healAfterMs: 1_920_000,
      overdueMs: 7_200_000,
    });
  });
});
