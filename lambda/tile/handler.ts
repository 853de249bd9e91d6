import { readTileEnvironment } from '../environment.ts';
import { collectInOnePass } from '../garbage-collection.ts';
import { windowName } from '../identity/job-key.ts';
import { parseWindowMessage } from '../pipeline/messages.ts';
import { SourcePool } from '../pipeline/source-pool.ts';
import { tileWindow } from '../pipeline/tile-window.ts';
import { queueHandler } from '../serverless/queue-handler.ts';
import { lambdaRuntime } from '../serverless/runtime.ts';

/** Sources kept open between invocations, and decoded blocks kept of each, bytes. */
const OPEN_SOURCES = 8;
const CACHE_BYTES = 64 * 1024 * 1024;

collectInOnePass();

const runtime = lambdaRuntime(readTileEnvironment(process.env));
const pool = new SourcePool(runtime.context.sources, { capacity: OPEN_SOURCES, cacheBytes: CACHE_BYTES });

/** One window message: one tile, one row, one commit. */
export const handler = queueHandler(runtime, 'tiles', async (body, signal) => {
  const message = parseWindowMessage(body);
  runtime.telemetry.about({ sceneJobId: message.plan.sceneJobId, window: windowName(message) });
  const outcome = await tileWindow(runtime.context, pool, message, signal);
  return outcome.kind === 'live' ? outcome : { kind: 'done' };
});
