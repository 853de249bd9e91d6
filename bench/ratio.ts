import type { Cost } from './measured.ts';

/** One line of a benchmark's answer. */
export interface Row {
  readonly bench: string;
  readonly what: string;
  readonly ours: string;
  /** Empty where there is nothing to compare with. */
  readonly peer: string;
  /** What the bar is held against. */
  readonly measured: string;
  readonly bar: string;
  /** Null: no bar. */
  readonly met: boolean | null;
  /** Sizes of outputs, processor time, rounds. */
  readonly remark: string;
}

/** How long, and how many at least, rounds are. */
export interface RoundOptions {
  readonly rounds: number;
  /** Work that is done before the first round and not counted: compilers and caches are warm then. */
  readonly warmUp?: boolean;
}

export interface Comparison {
  readonly bench: string;
  readonly what: string;
  /** Our time may be the peer's divided by this. */
  readonly bar: number | null;
  /** Jobs that a round holds: times are told per job. */
  readonly jobs?: number;
  readonly peerName: string;
  readonly ours: () => Promise<Cost>;
  readonly peer: () => Promise<Cost>;
}

/** The middle value; the mean of the two middle ones. NaN of nothing. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle)] ?? NaN)) / 2;
};

/**
 * Runs both sides by turns, so that whatever else the machine does meets both alike, and compares medians. The bar is
 * held against elapsed time; the ratio of processor time (user and system, all threads and children) stands beside it.
 */
export const compare = async (comparison: Comparison, { rounds, warmUp = false }: RoundOptions): Promise<Row> => {
  const { bench, what, bar, jobs = 1, peerName } = comparison;
  if (warmUp) {
    await comparison.ours();
    await comparison.peer();
  }
  const ours: Cost[] = [];
  const peer: Cost[] = [];
  for (let round = 0; round < rounds; round++) {
    ours.push(await comparison.ours());
    peer.push(await comparison.peer());
    console.error(`  ${bench}, ${what}, round ${round + 1}: ${shown(ours.at(-1), jobs)} / ${shown(peer.at(-1), jobs)}`);
  }
  const ratio = medianOf(peer, 'wall') / medianOf(ours, 'wall');
  const cpuRatio = medianOf(peer, 'cpu') / medianOf(ours, 'cpu');
  const sizes = [ours, peer].map((costs) => costs.at(-1)?.bytes).filter((bytes) => bytes !== undefined);
  return {
    bench,
    what,
    ours: `${duration(medianOf(ours, 'wall') / jobs)} (cpu ${duration(medianOf(ours, 'cpu') / jobs)})`,
    peer: `${peerName} ${duration(medianOf(peer, 'wall') / jobs)} (cpu ${duration(medianOf(peer, 'cpu') / jobs)})`,
    measured: `${ratio.toFixed(2)}x (cpu ${cpuRatio.toFixed(2)}x)`,
    bar: bar === null ? '' : `>= ${bar}x`,
    met: bar === null ? null : ratio >= bar,
    remark: `${rounds} rounds${sizes.length === 2 ? `; outputs ${sizes.map(megabytes).join(' / ')}` : ''}`,
  };
};

const medianOf = (costs: readonly Cost[], which: 'wall' | 'cpu'): number => median(costs.map((cost) => cost[which]));

const shown = (cost: Cost | undefined, jobs: number): string =>
  cost === undefined ? '' : `${duration(cost.wall / jobs)} (cpu ${duration(cost.cpu / jobs)})`;

/** A measured number that must not pass a bound. */
export const bounded = (
  { bench, what, remark = '' }: { bench: string; what: string; remark?: string },
  value: number,
  most: number | null,
  show: (value: number) => string,
): Row => ({
  bench,
  what,
  ours: show(value),
  peer: '',
  measured: show(value),
  bar: most === null ? '' : `<= ${show(most)}`,
  met: most === null ? null : value <= most,
  remark,
});

/** Seconds in s or ms. */
export const duration = (seconds: number): string =>
  seconds < 1 ? `${(seconds * 1000).toFixed(seconds < 0.01 ? 2 : 1)} ms` : `${seconds.toFixed(1)} s`;

/** Bytes in MB. */
export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 2 : 0)} MB`;

/** The columns of a table; those that no row fills are left out. */
const COLUMNS: readonly (readonly [title: string, rule: string, cell: (row: Row) => string])[] = [
  ['what', '---', ({ what }) => what],
  ['ours', '---:', ({ ours, peer }) => (peer === '' ? '' : ours)],
  ['peer', '---:', ({ peer }) => peer],
  ['measured', '---:', ({ measured }) => measured],
  ['bar', '---:', ({ bar }) => bar],
  ['met', '---', ({ met }) => (met === null ? '' : met ? 'yes' : '**no**')],
  ['remark', '---', ({ remark }) => remark],
];

/** Rows as a Markdown table. */
export const tableOf = (rows: readonly Row[]): string => {
  const columns = COLUMNS.filter(([, , cell]) => rows.some((row) => cell(row) !== ''));
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(([title]) => title)),
    line(columns.map(([, rule]) => rule)),
    ...rows.map((row) => line(columns.map(([, , cell]) => cell(row)))),
  ].join('\n');
};
