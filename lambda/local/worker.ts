import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod';
import { TileonceError } from '../errors.ts';
import { collectInOnePass } from '../garbage-collection.ts';
import { SourcePool } from '../pipeline/source-pool.ts';
import type { MetricName } from '../telemetry.ts';
import { openLocalEngine } from './local-engine.ts';
import { oneLineOf, workLoop } from './work-loop.ts';
import type { WorkerCommand, WorkerEvent, WorkerSetup } from './worker-events.ts';

/** A worker thread's life: waits to be told to begin, opens its own engine on the output folder, works until told to stop, closes it. */

/** Sources kept open by a worker, and decoded blocks kept of each, bytes. */
const OPEN_SOURCES = 8;
const CACHE_BYTES = 48 * 1024 * 1024;

/**
 * Messages that a thread has at hand: while one window's file is being flushed to the disk, the next one is computed.
 */
const AT_HAND = 2;

collectInOnePass();

const setupSchema: z.ZodType<WorkerSetup> = z.object({
  out: z.string(),
  remote: z.object({ anonymous: z.boolean(), requesterPays: z.boolean() }),
});
const { out, remote } = setupSchema.parse(workerData);
const port = parentPort;
if (port === null) throw new Error('this file is a worker thread, started by the run');

/** Bytes read from sources since the last event. They are told with the next: a read has no message of its own. */
let bytesRead = 0;
const report = (event: WorkerEvent): void => {
  if (bytesRead > 0) port.postMessage({ kind: 'read', bytes: bytesRead } satisfies WorkerEvent);
  bytesRead = 0;
  port.postMessage(event);
};
const stop = new AbortController();
const begun = Promise.withResolvers<void>();
port.on('message', ({ kind }: WorkerCommand) => {
  if (kind === 'stop') stop.abort();
  begun.resolve();
});
await begun.promise;

const count = (metric: MetricName, value: number): void => {
  if (metric === 'BytesRead') bytesRead += value;
};
const local = openLocalEngine(out, { event: () => undefined, count }, { remote });
const pool = new SourcePool(local.context.sources, { capacity: OPEN_SOURCES, cacheBytes: CACHE_BYTES });
const parts = { context: local.context, pool, makeScratch: () => local.engine.openScratch(), report };
try {
  const loops = await Promise.allSettled(Array.from({ length: AT_HAND }, () => workLoop(parts, stop.signal)));
  for (const loop of loops) if (loop.status === 'rejected') throw loop.reason;
} catch (error) {
  // Anything but a store that does not answer is a defect, and must end the run loudly.
  if (!(error instanceof TileonceError)) console.error(error);
  report({ kind: 'fatal', message: oneLineOf(error) });
} finally {
  await pool[Symbol.asyncDispose]();
  local[Symbol.dispose]();
  report({ kind: 'stopped' });
  port.close();
}
