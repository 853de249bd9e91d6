import type { RemoteOptions } from './remote-sources.ts';

/** What a worker tells the run about. */
export type WorkerEvent =
  /** One window's message was settled. `bytes` is the size of its object, 0 where this worker wrote none. */
  | {
      readonly kind: 'window';
      readonly sceneJobId: string;
      readonly outcome: 'written' | 'already-present' | 'empty' | 'refused' | 'superseded';
      readonly bytes: number;
    }
  | { readonly kind: 'assembled'; readonly sceneJobId: string }
  /** An attempt failed; the message comes back, unless it was its last receive. */
  | { readonly kind: 'failed-attempt'; readonly message: string }
  /** The stores do not answer: the whole run must stop. */
  | { readonly kind: 'fatal'; readonly message: string }
  /** Bytes read from sources since the event before. */
  | { readonly kind: 'read'; readonly bytes: number }
  | { readonly kind: 'stopped' };

/** What the run tells a worker, which waits for the first. */
export interface WorkerCommand {
  readonly kind: 'begin' | 'stop';
}

/** What a worker thread is started with. */
export interface WorkerSetup {
  readonly out: string;
  readonly remote: RemoteOptions;
}
