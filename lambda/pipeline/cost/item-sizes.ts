import type { ScenePlan } from '../../identity/plan.ts';
import { serialisePlan } from '../../identity/plan-record.ts';
import { messageBody } from '../messages.ts';

/** Bytes of what a scene puts into tables and queues. DynamoDB counts names and values of attributes. */
export interface ItemSizes {
  readonly claim: number;
  readonly row: number;
  readonly plan: number;
  /** A window's message. */
  readonly message: number;
}

/** Everything of a plan's item but the plan, at the most. */
const PLAN_FRAME = 300;
/** A claim with its result. */
const CLAIM = 450;
/** A row's names, keys, hashes and numbers, and the statistics of one output, at the most. */
const ROW_FRAME = 480;
const ROW_OUTPUT = 160;

/** Upper bounds; the plan and the messages are measured on the plan itself. */
export const itemSizes = (plan: ScenePlan, location: string): ItemSizes => ({
  claim: CLAIM,
  row: ROW_FRAME + ROW_OUTPUT * plan.pipeline.outputs.length,
  plan: PLAN_FRAME + Buffer.byteLength(serialisePlan(plan)),
  message: Buffer.byteLength(messageBody({ v: 1, plan, sources: plan.sources, location, row: 9999, column: 9999 })),
});

/** DynamoDB's units: a write is counted in KB begun, a consistent read in 4 KB begun. */
export const writeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1024));
export const readUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 4096));
/** SQS's: a request is counted in 64 KB begun. */
export const queueUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 65_536));
