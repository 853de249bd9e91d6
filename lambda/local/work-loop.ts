import { SourceError, StoreUnavailableError, TileonceError } from '../errors.ts';
import type { Delivery, QueueName } from '../gates/queue.ts';
import { assembleScene } from '../pipeline/assemble-scene.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import { countScene } from '../pipeline/count-scene.ts';
import { type Settled, dispositionOf } from '../pipeline/disposition.ts';
import { parseAssemblyMessage, parseWindowMessage } from '../pipeline/messages.ts';
import type { SourcePool } from '../pipeline/source-pool.ts';
import { tileWindow } from '../pipeline/tile-window.ts';
import type { ScratchMaker } from '../pipeline/write-mosaic.ts';
import { windowCount } from '../identity/grid.ts';
import { IDLE_MS, VISIBILITY_MS } from './timing.ts';
import type { WorkerEvent } from './worker-events.ts';

export interface WorkLoopParts {
  readonly context: PipelineContext;
  readonly pool: SourcePool;
  readonly makeScratch: ScratchMaker;
  readonly report: (event: WorkerEvent) => void;
}

/**
 * One worker: takes messages until told to stop. Assemblies go first, for their scenes are the oldest.
 * On stop the message at hand is given back, uncounted, with its claim released.
 *
 * @throws StoreUnavailableError where the stores do not answer (after reporting `fatal`).
 */
export const workLoop = async (parts: WorkLoopParts, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    if (!(await workLoopStep(parts, signal))) await parts.context.clock.sleep(IDLE_MS, signal);
  }
};

/** Takes one message, if there is one, and settles it. @returns false where no message was to be had. */
export const workLoopStep = async (parts: WorkLoopParts, signal: AbortSignal): Promise<boolean> =>
  (await takeOne(parts, 'assemblies', (body) => assembleOne(parts, body, signal), signal)) ||
  (await takeOne(parts, 'tiles', (body) => tileOne(parts, body, signal), signal));

const takeOne = async (
  parts: WorkLoopParts,
  queue: QueueName,
  work: (body: string) => Promise<Settled>,
  signal: AbortSignal,
): Promise<boolean> => {
  const { context } = parts;
  const delivery = await context.queue.receive(queue, VISIBILITY_MS);
  if (delivery === null) return false;
  try {
    const settled = await work(delivery.body);
    const disposition = dispositionOf(settled, context.clock);
    if (disposition.kind === 'acknowledge') await context.queue.acknowledge(queue, delivery.receipt);
    else await context.queue.postpone(queue, delivery.receipt, disposition.ms);
  } catch (error) {
    await giveBack(parts, queue, delivery, error, signal);
  }
  return true;
};

const giveBack = async (
  { context, report }: WorkLoopParts,
  queue: QueueName,
  delivery: Delivery<string>,
  error: unknown,
  signal: AbortSignal,
): Promise<void> => {
  if (signal.aborted) {
    await context.queue.postpone(queue, delivery.receipt, 0);
    return;
  }
  if (error instanceof StoreUnavailableError) {
    report({ kind: 'fatal', message: error.oneLine });
    // The same store may not answer this either; the sweep of the next run frees the message then.
    await context.queue.postpone(queue, delivery.receipt, 0).catch(() => undefined);
    throw error;
  }
  const message = oneLineOf(error);
  context.telemetry.event('error', 'Message:Work:Failed', { queue, receiveCount: delivery.receiveCount, message });
  report({ kind: 'failed-attempt', message });
  await context.queue.hide(queue, delivery.receipt, 0, message);
};

/** Any error on one line; the remedy with it where there is one. */
export const oneLineOf = (error: unknown): string => {
  if (error instanceof TileonceError) return error.oneLine;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
};

const tileOne = async (parts: WorkLoopParts, body: string, signal: AbortSignal): Promise<Settled> => {
  const { context, pool, report } = parts;
  const message = parseWindowMessage(body);
  const { plan } = message;
  const outcome = await tileWindow(context, pool, message, signal).catch((error: unknown) => {
    throw error instanceof SourceError ? withWindow(error, message) : error;
  });
  const { sceneJobId } = plan;
  if (outcome.kind === 'live') {
    report({ kind: 'window', sceneJobId, outcome: 'refused', bytes: 0 });
    return outcome;
  }
  if (outcome.kind === 'worked') {
    const { state, write, bytes } = outcome.result;
    report({
      kind: 'window',
      sceneJobId,
      outcome: state === 'EMPTY' ? 'empty' : write === 'written' ? 'written' : 'already-present',
      bytes: write === 'written' ? bytes : 0,
    });
  } else {
    report({ kind: 'window', sceneJobId, outcome: outcome.kind === 'committed' ? 'refused' : 'superseded', bytes: 0 });
  }
  // Counted before the message is acknowledged: whoever dies here is followed by one who counts.
  if (outcome.kind !== 'superseded') {
    await countScene(context, { sceneJobId, windowCount: windowCount(plan.windows), location: message.location });
  }
  return { kind: 'done' };
};

/** A source's fault says which window met it. */
const withWindow = (error: SourceError, { row, column }: { row: number; column: number }): TileonceError =>
  new TileonceError(`window ${row},${column}: ${error.message}`, {
    cause: error,
    ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
  });

const assembleOne = async (parts: WorkLoopParts, body: string, signal: AbortSignal): Promise<Settled> => {
  const { context, makeScratch, report } = parts;
  const message = parseAssemblyMessage(body);
  const outcome = await assembleScene(context, makeScratch, message, signal);
  if (outcome.kind === 'live') return outcome;
  if (outcome.kind === 'worked') report({ kind: 'assembled', sceneJobId: message.sceneJobId });
  return { kind: 'done' };
};
