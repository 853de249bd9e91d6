import { randomBytes } from 'node:crypto';
import { type Clock, systemClock } from '../clock.ts';
import { type EmbeddedEngine, openEmbeddedEngine } from '../engines/embedded/index.ts';
import type { HashProgress } from '../engines/embedded/file-hashes.ts';
import { FileSourceStore } from '../engines/embedded/source-store.ts';
import { PIXEL_VERSION } from '../pipeline/definition/pixel-version.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import type { Telemetry } from '../telemetry.ts';
import { EMBEDDED_CLAIM, MAX_RECEIVES } from './timing.ts';
import { SOFTWARE_VERSION } from '../version.ts';

/** The pipeline on one machine: the embedded engine behind the ports. */
export interface LocalEngine extends Disposable {
  readonly engine: EmbeddedEngine;
  readonly context: PipelineContext;
}

/**
 * Opens the engine on an output folder. Every thread opens its own.
 *
 * @throws StoreUnavailableError where the folder cannot be used.
 */
export const openLocalEngine = (
  outFolder: string,
  telemetry: Telemetry,
  options: { clock?: Clock; progress?: HashProgress } = {},
): LocalEngine => {
  const clock = options.clock ?? systemClock;
  const engine = openEmbeddedEngine(outFolder, { now: clock.now, maxReceives: MAX_RECEIVES });
  const context: PipelineContext = {
    claims: engine.claims,
    objects: engine.objects,
    manifest: engine.manifest,
    queue: engine.queue,
    sources: (folder) =>
      new FileSourceStore(folder, engine.tokens, {
        ...(options.progress === undefined ? {} : { progress: options.progress }),
        onRead: (bytes, ranges) => {
          telemetry.count('BytesRead', bytes);
          telemetry.count('RangeRequests', ranges);
        },
      }),
    clock,
    telemetry,
    claimTiming: EMBEDDED_CLAIM,
    newOwner: () => engine.processes.ownerOf(randomBytes(12).toString('hex')),
    pixelVersion: PIXEL_VERSION,
    softwareVersion: SOFTWARE_VERSION,
  };
  return { engine, context, [Symbol.dispose]: () => engine.close() };
};
