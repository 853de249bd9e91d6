import { randomBytes } from 'node:crypto';
import { type Clock, systemClock } from '../clock.ts';
import { type EmbeddedEngine, openEmbeddedEngine } from '../engines/embedded/index.ts';
import type { HashProgress } from '../engines/embedded/file-hashes.ts';
import { FileSourceStore } from '../engines/embedded/source-store.ts';
import { PIXEL_VERSION } from '../pipeline/definition/pixel-version.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import type { Telemetry } from '../telemetry.ts';
import { kindOfLocation } from './remote-address.ts';
import { NO_REMOTE_OPTIONS, type RemoteOptions, remoteStores } from './remote-sources.ts';
import { EMBEDDED_CLAIM, MAX_RECEIVES } from './timing.ts';
import { SOFTWARE_VERSION } from '../version.ts';

/** The pipeline on one machine: the embedded engine behind the ports. */
export interface LocalEngine extends Disposable {
  readonly engine: EmbeddedEngine;
  readonly context: PipelineContext;
  /** How remote scenes are read; worker threads are started with the same. */
  readonly remote: RemoteOptions;
}

/**
 * Opens the engine on an output folder. Every thread opens its own.
 *
 * @throws StoreUnavailableError where the folder cannot be used.
 */
export const openLocalEngine = (
  outFolder: string,
  telemetry: Telemetry,
  options: { clock?: Clock; progress?: HashProgress; remote?: RemoteOptions; readOnly?: boolean } = {},
): LocalEngine => {
  const clock = options.clock ?? systemClock;
  const engine = openEmbeddedEngine(outFolder, {
    now: clock.now,
    maxReceives: MAX_RECEIVES,
    readOnly: options.readOnly ?? false,
  });
  const remote = options.remote ?? NO_REMOTE_OPTIONS;
  const onRead = (bytes: number, requests: number): void => {
    telemetry.count('BytesRead', bytes);
    telemetry.count('RangeRequests', requests);
  };
  const { s3, web } = remoteStores(remote, onRead);
  const context: PipelineContext = {
    claims: engine.claims,
    objects: engine.objects,
    manifest: engine.manifest,
    queue: engine.queue,
    sources: (location) => {
      const kind = kindOfLocation(location);
      if (kind !== 'file') return kind === 's3' ? s3 : web;
      return new FileSourceStore(location, engine.tokens, {
        ...(options.progress === undefined ? {} : { progress: options.progress }),
        onRead,
      });
    },
    clock,
    telemetry,
    claimTiming: EMBEDDED_CLAIM,
    newOwner: () => engine.processes.ownerOf(randomBytes(12).toString('hex')),
    pixelVersion: PIXEL_VERSION,
    softwareVersion: SOFTWARE_VERSION,
  };
  return { engine, context, remote, [Symbol.dispose]: () => engine.close() };
};
