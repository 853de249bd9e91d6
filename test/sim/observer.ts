import type { ClaimAnswer, ClaimRequest, ClaimRow, OwnerAnswer } from '../../lambda/gates/claim-store.ts';
import type { ManifestRow, PlanState } from '../../lambda/gates/manifest-store.ts';
import type { QueueName } from '../../lambda/gates/queue.ts';
import type { Process } from './process.ts';

/** Told of every effect at the moment it happens, whether or not its caller ever learns of it. */
export interface Observer {
  claimed(process: Process, request: ClaimRequest, before: ClaimRow | undefined, answer: ClaimAnswer): void;
  committed(
    request: { readonly jobId: string; readonly owner: string },
    before: ClaimRow | undefined,
    answer: OwnerAnswer,
  ): void;
  released(process: Process, jobId: string): void;
  /** One who deletes took the claim, from COMMITTED too. */
  seized(process: Process, jobId: string): void;
  objectRemoved(key: string): void;
  objectPut(process: Process, key: string, answer: string): void;
  /** An overwrite put another object in the place of one that it had inspected (its ETag). */
  objectReplaced(process: Process, key: string, answer: string, inspected: string): void;
  rowReplaced(row: ManifestRow): void;
  rowCreated(process: Process, row: ManifestRow): void;
  rowDeleted(row: Pick<ManifestRow, 'sceneJobId' | 'window'>): void;
  planOpened(sceneJobId: string): void;
  planClosed(sceneJobId: string, to: PlanState): void;
  sent(process: Process, queue: QueueName, bodies: readonly string[]): void;
  acknowledged(process: Process, queue: QueueName, body: string, since: number): void;
}
