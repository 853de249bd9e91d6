import type { RuntimeTiming } from '../lambda/environment.ts';
import { TileonceError } from '../lambda/errors.ts';

/** What a deployment may choose; everything else follows (docs/design.md, sections 4 and 7). Seconds, minutes and days as named. */
export interface TimingOptions {
  /** Timeout of a function that holds a claim, s. Default 900, Lambda's most. */
  readonly ceilingSeconds?: number | undefined;
  /** Clock skew between two workers that the numbers absorb, s. Default 30. */
  readonly skewSeconds?: number | undefined;
  /** A claim's lease, s. Default ceiling + skew. */
  readonly leaseSeconds?: number | undefined;
  /** The queues' visibility timeout, s. Default lease + skew. */
  readonly visibilitySeconds?: number | undefined;
  /** What a worker needs to stop, release its lease and answer before its ceiling, s. Default 20. */
  readonly abortMarginSeconds?: number | undefined;
  /** What a message whose work failed waits before it is tried again, s. Default 30. */
  readonly retrySeconds?: number | undefined;
  /** How long a scene's message waits for its siblings' uploads, s. Default 60. */
  readonly settleSeconds?: number | undefined;
  /** Receives before a message is dead-lettered. Default 3. */
  readonly maxReceives?: number | undefined;
  /** Retention of the work queues. Default 4 d. */
  readonly queueRetentionDays?: number | undefined;
  /** Retention of the dead-letter queues, counted from a message's first enqueue. Default 14 d, SQS's most. */
  readonly deadLetterRetentionDays?: number | undefined;
  /** Lifetime of a CLAIMED row that nobody comes back to. Default 21 d. */
  readonly claimedRowDays?: number | undefined;
  /** First wait before the reaper sends again what an open scene lacks, s; it doubles. Default twice the visibility. */
  readonly healAfterSeconds?: number | undefined;
  /** How often the reaper runs, min. Default 5. */
  readonly reapMinutes?: number | undefined;
  /** Age at which an unassembled scene raises an alarm, min. Default 120. */
  readonly overdueMinutes?: number | undefined;
}

/** Every number that is a time, s unless named otherwise. */
export interface Timing {
  readonly ceilingSeconds: number;
  readonly leaseSeconds: number;
  readonly visibilitySeconds: number;
  readonly abortMarginSeconds: number;
  readonly retrySeconds: number;
  readonly settleSeconds: number;
  readonly maxReceives: number;
  readonly outageHideSeconds: readonly [number, number];
  readonly queueRetentionSeconds: number;
  readonly deadLetterRetentionSeconds: number;
  readonly claimedRowSeconds: number;
  readonly healAfterSeconds: number;
  readonly reapMinutes: number;
  readonly reapCeilingSeconds: number;
  readonly countCeilingSeconds: number;
  readonly overdueSeconds: number;
}

/** A configuration whose numbers break the protocol: names every broken inequality with its values. */
export class TimingError extends TileonceError {
  readonly broken: readonly string[];

  constructor(broken: readonly string[]) {
    super(`the configured times break the protocol: ${broken.join('; ')}`, {
      remedy: 'change one side of each; the defaults hold them all',
    });
    this.broken = broken;
  }
}

const HOUR = 3600;
const DAY = 24 * HOUR;
/** Lambda's and SQS's own bounds, s. */
const LAMBDA_CEILING = 900;
const SQS_VISIBILITY = 12 * HOUR;
const SQS_RETENTION = 14 * DAY;
const SQS_DELAY = 900;
const COUNT_CEILING = 60;

/**
 * Derives every timeout, lease, visibility and retention from the function's ceiling.
 *
 *     ceiling 900 < lease 930 < visibility 960          a crashed worker's message meets a lapsed lease: one receive
 *     claimed row 21 d > DLQ 14 d + queue 4 d + receives   a replayed message still finds its job's row
 *
 * @throws TimingError naming every inequality that the options break.
 */
export const timingOf = (options: TimingOptions = {}): Timing => {
  const skew = options.skewSeconds ?? 30;
  const ceilingSeconds = options.ceilingSeconds ?? LAMBDA_CEILING;
  const leaseSeconds = options.leaseSeconds ?? ceilingSeconds + skew;
  const visibilitySeconds = options.visibilitySeconds ?? leaseSeconds + skew;
  const reapMinutes = options.reapMinutes ?? 5;
  const timing: Timing = {
    ceilingSeconds,
    leaseSeconds,
    visibilitySeconds,
    abortMarginSeconds: options.abortMarginSeconds ?? 20,
    retrySeconds: options.retrySeconds ?? 30,
    settleSeconds: options.settleSeconds ?? 60,
    maxReceives: options.maxReceives ?? 3,
    outageHideSeconds: [visibilitySeconds, 4 * HOUR],
    queueRetentionSeconds: (options.queueRetentionDays ?? 4) * DAY,
    deadLetterRetentionSeconds: (options.deadLetterRetentionDays ?? 14) * DAY,
    claimedRowSeconds: (options.claimedRowDays ?? 21) * DAY,
    healAfterSeconds: options.healAfterSeconds ?? 2 * visibilitySeconds,
    reapMinutes,
    reapCeilingSeconds: Math.min(LAMBDA_CEILING, reapMinutes * 60),
    countCeilingSeconds: COUNT_CEILING,
    overdueSeconds: (options.overdueMinutes ?? 120) * 60,
  };
  const broken = inequalitiesOf(timing, skew).flatMap(([smaller, relation, larger]) =>
    holds(smaller[1], relation, larger[1]) ? [] : [`${say(smaller)} ${relation} ${say(larger)} does not hold`],
  );
  if (broken.length > 0) throw new TimingError(broken);
  return timing;
};

type Term = readonly [name: string, value: number, unit?: 'receives'];
type Inequality = readonly [Term, '<' | '<=', Term];

const holds = (a: number, relation: '<' | '<=', b: number): boolean => (relation === '<' ? a < b : a <= b);
const say = ([name, value, unit]: Term): string => (name === '' ? `${value}` : `${name} (${value} ${unit ?? 's'})`);

const inequalitiesOf = (t: Timing, skew: number): readonly Inequality[] => {
  const receives = t.maxReceives * t.visibilitySeconds;
  const outage = t.outageHideSeconds[0] + t.outageHideSeconds[1] + receives;
  return [
    [['', 0], '<', ['abort margin', t.abortMarginSeconds]],
    [['abort margin', t.abortMarginSeconds], '<', ['ceiling', t.ceilingSeconds]],
    [['', 0], '<', ['wait after a failure', t.retrySeconds]],
    [['wait after a failure', t.retrySeconds], '<=', ['visibility', t.visibilitySeconds]],
    [['ceiling', t.ceilingSeconds], '<=', ["Lambda's longest timeout", LAMBDA_CEILING]],
    [['', 0], '<', ['clock skew', skew]],
    [['ceiling + clock skew', t.ceilingSeconds + skew], '<=', ['lease', t.leaseSeconds]],
    [['lease + clock skew', t.leaseSeconds + skew], '<=', ['visibility', t.visibilitySeconds]],
    [['visibility', t.visibilitySeconds], '<=', ['second outage wait', t.outageHideSeconds[1]]],
    [['second outage wait', t.outageHideSeconds[1]], '<=', ["SQS's longest visibility", SQS_VISIBILITY]],
    [['', 0], '<=', ['settle', t.settleSeconds]],
    [['settle', t.settleSeconds], '<=', ["SQS's longest delay", SQS_DELAY]],
    [['outage waits + receives x visibility', outage], '<', ['queue retention', t.queueRetentionSeconds]],
    [['queue retention', t.queueRetentionSeconds], '<', ['dead-letter retention', t.deadLetterRetentionSeconds]],
    [['dead-letter retention', t.deadLetterRetentionSeconds], '<=', ["SQS's longest retention", SQS_RETENTION]],
    [
      [
        'dead-letter retention + queue retention + receives x visibility',
        t.deadLetterRetentionSeconds + t.queueRetentionSeconds + receives,
      ],
      '<',
      ['lifetime of a claimed row', t.claimedRowSeconds],
    ],
    [['', 0], '<', ['wait before healing', t.healAfterSeconds]],
    [['one minute', 60], '<=', ["reaper's cadence", t.reapMinutes * 60]],
    [['settle + visibility', t.settleSeconds + t.visibilitySeconds], '<', ['overdue age', t.overdueSeconds]],
    [['', 0], '<', ['receives before the dead-letter queue', t.maxReceives, 'receives']],
  ];
};

/** The part of it that a running function reads from its environment. */
export const runtimeTiming = (timing: Timing): RuntimeTiming => ({
  leaseMs: timing.leaseSeconds * 1000,
  claimedRowTtlSeconds: timing.claimedRowSeconds,
  visibilityMs: timing.visibilitySeconds * 1000,
  abortMarginMs: timing.abortMarginSeconds * 1000,
  retryMs: timing.retrySeconds * 1000,
  maxReceives: timing.maxReceives,
  outageHideMs: timing.outageHideSeconds.map((seconds) => seconds * 1000),
  healAfterMs: timing.healAfterSeconds * 1000,
  overdueMs: timing.overdueSeconds * 1000,
});
