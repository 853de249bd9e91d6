import {
  type Call,
  type CallCounts,
  type SceneShape,
  assemblyCalls,
  countCalls,
  fanOutCalls,
  repeatedRingCalls,
  windowCalls,
} from './calls.ts';
import { type ItemSizes, queueUnits, readUnits, writeUnits } from './item-sizes.ts';
import type { Prices } from './prices.ts';
import type { SceneWork, Setup } from './scene-work.ts';

export interface BillLine {
  readonly service: 'S3' | 'DynamoDB' | 'SQS' | 'Lambda' | 'EventBridge' | 'CloudWatch';
  readonly what: string;
  readonly quantity: number;
  readonly usd: number;
}

/** What one scene costs in requests and time, and what its outputs cost a month. USD. */
export interface Bill {
  readonly lines: readonly BillLine[];
  readonly usd: number;
  readonly storageUsdMonth: number;
}

/** A scene's quantities, whoever's prices. */
export interface SceneQuantities {
  readonly shape: SceneShape;
  readonly sizes: ItemSizes;
  readonly work: SceneWork;
  /** Tiles and mosaic, bytes. */
  readonly outputBytes: number;
}

/** What an invocation logs: its metrics, its line or two, and Lambda's own, bytes. */
export const LOG_BYTES = 2000;

const PAID_AS_PUT: readonly Call[] = ['PutObject', 'CreateMultipartUpload', 'UploadPart', 'CompleteMultipartUpload'];
const PAID_AS_GET: readonly Call[] = ['GetObject', 'HeadObject'];

const of = (calls: CallCounts, which: readonly Call[]): number =>
  which.reduce((sum, call) => sum + (calls[call] ?? 0), 0);

/** Every call of a scene: each source's upload rings once, and the first finds everything. */
export const sceneCalls = ({ shape, work }: Pick<SceneQuantities, 'shape' | 'work'>): CallCounts => {
  const steps: (readonly [times: number, calls: CallCounts])[] = [
    [1, fanOutCalls(shape)],
    [shape.sources - 1, repeatedRingCalls(shape)],
    [shape.windows, windowCalls(shape)],
    [work.counts - 1, countCalls(false)],
    [1, countCalls(true)],
    [1, assemblyCalls(shape)],
  ];
  const sum: Partial<Record<Call, number>> = {};
  for (const [times, calls] of steps) {
    for (const call of keysOf(calls)) sum[call] = (sum[call] ?? 0) + times * (calls[call] ?? 0);
  }
  return sum;
};

const keysOf = (calls: CallCounts): Call[] => [
  ...new Set([...PAID_AS_PUT, ...PAID_AS_GET, ...OTHER_CALLS].filter((call) => calls[call] !== undefined)),
];
const OTHER_CALLS: readonly Call[] = ['GetItem', 'PutItem', 'Query', 'UpdateItem', 'SendMessageBatch'];

/** DynamoDB request units of a scene. */
export const dynamoUnits = ({ shape, sizes, work }: SceneQuantities): { write: number; read: number } => {
  const [claim, row, plan] = [writeUnits(sizes.claim), writeUnits(sizes.row), writeUnits(sizes.plan)];
  const planRead = readUnits(sizes.plan);
  const rowsRead = (rows: number): number => readUnits(rows * sizes.row);
  const repeats = shape.sources - 1;
  let counted = 0;
  for (let i = 1; i <= work.counts; i++) counted += planRead + rowsRead((i / work.counts) * shape.windows);
  return {
    // Claim and commit each; the plan's item is written once and closed once, whole both times, and goes into the index of
    // unfinished plans and out of it.
    write: 2 * claim + plan + repeats * claim + shape.windows * (2 * claim + row) + 2 * claim + plan + 2,
    // Fan-out and assembly read the plan once each.
    read: planRead + planRead + repeats * (planRead + rowsRead(shape.windows)) + rowsRead(shape.windows) + counted,
  };
};

/** SQS requests of a scene: each message is sent, received and deleted. The waiting of idle queues is not a scene's. */
export const queueRequests = ({ shape, sizes }: SceneQuantities): number => {
  const perBatch = Math.ceil(shape.windows / Math.max(1, shape.batches));
  const sends = shape.batches * queueUnits(perBatch * sizes.message);
  return 3 * shape.sources + sends + shape.windows * (queueUnits(sizes.message) + 1) + 3;
};

/** GB-seconds of all functions, and of the assembly's /tmp above 512 MB. */
const gbSeconds = ({ shape, work }: SceneQuantities, { memoryMb, scratchMb }: Setup): [number, number] => {
  const run = (mb: number, ms: number): number => ((mb / 1024) * ms) / 1000;
  const memory =
    run(memoryMb['fan-out'], work.fanOutMs * shape.sources) +
    run(memoryMb.tile, work.windowMs * shape.windows) +
    run(memoryMb.count, work.countMs * work.counts) +
    run(memoryMb.assemble, work.assemblyMs);
  return [memory, run(Math.max(0, scratchMb - 512), work.assemblyMs)];
};

/** Prices a scene. */
export const billOf = (scene: SceneQuantities, setup: Setup, prices: Prices): Bill => {
  const { shape, work, outputBytes } = scene;
  const calls = sceneCalls(scene);
  const units = dynamoUnits(scene);
  const [memory, scratch] = gbSeconds(scene, setup);
  const invocations = shape.sources + shape.windows + work.counts + 1;
  const line = (service: BillLine['service'], what: string, quantity: number, price: number): BillLine => ({
    service,
    what,
    quantity,
    usd: quantity * price,
  });
  const lines = [
    line('S3', 'PUT requests', of(calls, PAID_AS_PUT), prices.s3Put),
    line('S3', 'GET and HEAD requests', of(calls, PAID_AS_GET), prices.s3Get),
    line('DynamoDB', 'write units', units.write, prices.dynamoWriteUnit),
    line('DynamoDB', 'read units', units.read, prices.dynamoReadUnit),
    line('SQS', 'requests', queueRequests(scene), prices.sqsRequest),
    line('Lambda', 'invocations', invocations, prices.lambdaRequest),
    line('Lambda', 'GB-seconds', memory, prices.lambdaGbSecond),
    line('Lambda', 'GB-seconds of /tmp', scratch, prices.lambdaScratchGbSecond),
    line('EventBridge', 'uploads told', shape.sources, prices.eventBridgeEvent),
    line('CloudWatch', 'GB of logs', (invocations * LOG_BYTES) / 1e9, prices.logsGb),
  ];
  return {
    lines,
    usd: lines.reduce((sum, { usd }) => sum + usd, 0),
    storageUsdMonth: (outputBytes / 1e9) * prices.s3StorageGbMonth,
  };
};
