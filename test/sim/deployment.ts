import type { SQSEvent } from 'aws-lambda';
import { type Delivery, QUEUES, type QueueName } from '../../lambda/gates/queue.ts';
import type { PipelineContext } from '../../lambda/pipeline/context.ts';
import { collectGarbage } from '../../lambda/pipeline/recovery/collect-garbage.ts';
import { reap } from '../../lambda/pipeline/reap.ts';
import type { SourcePool } from '../../lambda/pipeline/source-pool.ts';
import { DeadlineError, queueHandler } from '../../lambda/serverless/queue-handler.ts';
import type { Telemetry } from '../../lambda/telemetry.ts';
import { type Work, assembleWork, count, fanOutWork, tileWork } from './functions.ts';
import { gatedStores } from './gated-stores.ts';
import type { Invariants } from './invariants.ts';
import type { Mutant } from './mutant.ts';
import { EPOCH, Process, type Surroundings } from './process.ts';
import { SimSourcePool } from './scene.ts';
import type { SharedStores } from './stores.ts';
import { CEILING_MS, CLAIM_TIMING, REAP_EVERY_MS, TIMING } from './timing.ts';

/** Functions at work on one queue at the same time. */
const CONCURRENCY: Readonly<Record<QueueName, number>> = { scenes: 2, tiles: 3, assemblies: 2 };
/** For so long after a deploy old processes may still be given work, ms. */
const ROLLING_MS = 10 * 60_000;
/** No process is given work that is older than this, ms. */
const LIFETIME_MS = 2 * 3_600_000;
/** How often a stream hands a failing batch over before it is lost. */
const STREAM_TRIES = 3;

/** A job that was attempted so often is waited for at the cost of receives. */
const MOST_ATTEMPTS = 3 * TIMING.maxReceives;

/** Whether a message only waited: for a job of so many attempts, and whether its copy could not be sent. */
interface Waiting {
  attempts: number | null;
  copyFailed: boolean;
}

/** A place that one process of a function runs in. */
interface Slot {
  readonly queue: QueueName;
  process: Process | null;
  pool: SourcePool | null;
  busy: boolean;
}

export interface DeploymentParts extends Surroundings {
  readonly stores: SharedStores;
  readonly invariants: Invariants;
  readonly telemetry: Telemetry;
  readonly mutant: Mutant;
}

/** The deployed functions: processes that come and go, each given messages, ticks or stream batches by its service. */
export class Deployment {
  readonly #parts: DeploymentParts;
  readonly #slots: Slot[];
  #codeVersion = 1;
  #deployedAt = Number.NEGATIVE_INFINITY;
  #processes = 0;
  readonly #started = new Set<Process>();
  #owners = 0;
  #reaping = false;

  constructor(parts: DeploymentParts) {
    this.#parts = parts;
    this.#slots = QUEUES.flatMap((queue) =>
      Array.from({ length: CONCURRENCY[queue] }, (): Slot => ({ queue, process: null, pool: null, busy: false })),
    );
    parts.stores.queue.onVisible = (queue, at) => {
      parts.timeline.schedule(at - parts.timeline.now + parts.random.between(1, 50), () => this.#pump(queue));
      this.startReaper();
    };
  }

  get codeVersion(): number {
    return this.#codeVersion;
  }

  /** From now on new processes run the next code version. */
  deploy(): void {
    this.#codeVersion++;
    this.#deployedAt = this.#parts.timeline.now;
  }

  /** A row was created: its scene is counted, unless the stream loses it. */
  onNewRow(sceneJobId: string): void {
    const { timeline, random, chaos } = this.#parts;
    if (chaos.strikes('stream batch lost', timeline.now)) return;
    const times = chaos.strikes('stream batch twice', timeline.now) ? 2 : 1;
    for (let i = 0; i < times; i++) {
      timeline.schedule(random.between(500, 10_000), () => this.#count(sceneJobId, STREAM_TRIES));
    }
  }

  /** An operator removes what no ledger row owns and what is older than `olderThanMs`. */
  collectGarbage(olderThanMs: number): void {
    const process = this.#newProcess('gc');
    const { chaos } = this.#parts;
    collectGarbage(this.#contextOf(process), { olderThanMs, dryRun: false }).then(
      ({ removed }) => removed > 0 && chaos.struck('garbage collection'),
      () => undefined,
    );
  }

  /** The pipeline in a person's process, which is killed at the functions' ceiling: it has no heartbeat either. */
  person(kind: string): { readonly context: PipelineContext; readonly pool: SourcePool } {
    const process = this.#newProcess(kind);
    this.#parts.timeline.schedule(CEILING_MS, () => this.#killAtCeiling(process));
    const context = this.#contextOf(process);
    return { context, pool: new SimSourcePool(context.sources, process.codeVersion) };
  }

  /** Kills whatever still runs, so that nothing of it outlives the simulation. */
  stop(): void {
    for (const process of this.#started) process.die();
  }

  #pump(queue: QueueName): void {
    const { timeline, chaos } = this.#parts;
    const starvedUntil = queue === 'tiles' ? chaos.starvedUntil(timeline.now) : null;
    if (starvedUntil !== null) chaos.struck('no worker to be had');
    // A queue that is down delivers nothing either.
    const resumeAt = starvedUntil ?? chaos.downUntil('queue', timeline.now);
    if (resumeAt !== null) {
      timeline.schedule(resumeAt - timeline.now, () => this.#pump(queue));
      return;
    }
    for (const slot of this.#slots) {
      if (slot.queue !== queue || slot.busy) continue;
      const delivery = this.#parts.stores.queue.take(queue);
      if (delivery === null) return;
      void this.#invoke(slot, delivery);
    }
  }

  async #invoke(slot: Slot, delivery: Delivery<string>): Promise<void> {
    const { timeline, stores, invariants } = this.#parts;
    const { queue } = slot;
    const process = this.#processFor(slot);
    const began = timeline.now;
    slot.busy = true;
    process.won.clear();
    process.onGone = () => this.#vacate(slot);
    const deadline = new AbortController();
    const stopAbort = timeline.schedule(CEILING_MS - TIMING.abortMarginMs, () => deadline.abort(new DeadlineError()));
    const stopKill = timeline.schedule(CEILING_MS, () => this.#killAtCeiling(process));
    const waiting: Waiting = { attempts: null, copyFailed: false };
    const handler = queueHandler(this.#runtimeOf(process, waiting), queue, async (body, signal) => {
      const settled = await this.#work(slot, process)(body, AbortSignal.any([signal, deadline.signal]));
      if (settled.kind === 'live') waiting.attempts = settled.attempts;
      return settled;
    });
    const lambda = { getRemainingTimeInMillis: () => CEILING_MS };
    const { batchItemFailures } = await handler(eventOf(delivery), lambda);
    stopAbort();
    stopKill();
    process.won.clear();
    if (process.dead) return;
    if (process.frozen) {
      process.die();
      return;
    }
    const spared = waiting.attempts === null || waiting.attempts >= MOST_ATTEMPTS || waiting.copyFailed;
    if (batchItemFailures.length > 0 && !spared) stores.queue.waited(queue, delivery.receipt);
    if (batchItemFailures.length === 0) {
      invariants.acknowledged(process, queue, delivery.body, began);
      await stores.queue.acknowledge(queue, delivery.receipt);
    }
    slot.busy = false;
    this.#pump(queue);
  }

  #vacate(slot: Slot): void {
    slot.process = null;
    this.#parts.timeline.schedule(this.#parts.random.between(100, 3_000), () => {
      slot.busy = false;
      this.#pump(slot.queue);
    });
  }

  #killAtCeiling(process: Process): void {
    if (process.dead || process.frozen) return;
    this.#parts.chaos.struck('killed at its ceiling');
    process.die();
  }

  #processFor(slot: Slot): Process {
    const { timeline, random } = this.#parts;
    const old = slot.process;
    if (old !== null && old.clock.monotonic() < LIFETIME_MS) {
      const rolling = timeline.now < this.#deployedAt + ROLLING_MS && random.chance(0.7);
      if (old.codeVersion === this.#codeVersion || rolling) return old;
    }
    const process = this.#newProcess(slot.queue);
    slot.process = process;
    slot.pool = this.#parts.mutant.pool?.(this.#contextOf(process).sources, process.codeVersion) ?? null;
    slot.pool ??= new SimSourcePool(this.#contextOf(process).sources, process.codeVersion);
    return process;
  }

  #newProcess(kind: string): Process {
    const process = new Process(`${kind} ${++this.#processes}`, this.#codeVersion, this.#parts);
    this.#started.add(process);
    return process;
  }

  #work(slot: Slot, process: Process): Work {
    const context = this.#contextOf(process);
    const work =
      slot.queue === 'scenes'
        ? fanOutWork(context)
        : slot.queue === 'assemblies'
          ? assembleWork(context)
          : tileWork(context, slot.pool ?? new SimSourcePool(context.sources, process.codeVersion));
    return this.#parts.mutant.work?.(work) ?? work;
  }

  #contextOf(process: Process): PipelineContext {
    const { stores, invariants, telemetry, mutant } = this.#parts;
    const { sources, ...gated } = gatedStores(stores, process, invariants);
    const context: PipelineContext = {
      ...gated,
      sources: () => sources,
      clock: process.clock,
      telemetry,
      claimTiming: CLAIM_TIMING,
      newOwner: () => `${process.name}/${++this.#owners}`,
      pixelVersion: process.codeVersion,
      softwareVersion: '0.0.0',
    };
    return mutant.context?.(context, stores) ?? context;
  }

  #runtimeOf(process: Process, waiting: Waiting) {
    const { telemetry, mutant } = this.#parts;
    const event: Telemetry['event'] = (level, name, fields) => {
      if (name === 'Message:Renew:Failed') waiting.copyFailed = true;
      telemetry.event(level, name, fields);
    };
    return {
      context: this.#contextOf(process),
      telemetry: { ...telemetry, event, about: () => undefined, flush: () => undefined },
      timing: mutant.timing?.(TIMING) ?? TIMING,
    };
  }

  #count(sceneJobId: string, tries: number): void {
    const process = this.#newProcess('count');
    count(this.#contextOf(process), new Set([sceneJobId])).catch(() => {
      if (tries > 1) this.#parts.timeline.schedule(1_000, () => this.#count(sceneJobId, tries - 1));
    });
  }

  /** Ticks while anything is under way, then at the times that OPEN plans name; two ticks may overlap. */
  startReaper(): void {
    if (this.#reaping) return;
    this.#reaping = true;
    this.#parts.timeline.schedule(this.#parts.random.between(0, REAP_EVERY_MS), () => this.#tick());
  }

  #tick(): void {
    const { timeline, stores } = this.#parts;
    const process = this.#newProcess('reaper');
    const stop = timeline.schedule(CEILING_MS, () => this.#killAtCeiling(process));
    void reap(this.#contextOf(process), TIMING).then(stop, stop);
    const next = stores.manifest.nextHealAt();
    const resting = stores.queue.isEmpty && this.#slots.every(({ busy }) => !busy);
    if (resting && next === null) this.#reaping = false;
    else {
      const wait = resting && next !== null ? next - EPOCH - timeline.now : 0;
      timeline.schedule(Math.max(REAP_EVERY_MS, wait), () => this.#tick());
    }
  }
}

const eventOf = ({ body, receipt, receiveCount }: Delivery<string>): SQSEvent => ({
  Records: [
    {
      messageId: receipt,
      receiptHandle: receipt,
      body,
      attributes: {
        ApproximateReceiveCount: String(receiveCount),
        SentTimestamp: '0',
        SenderId: '',
        ApproximateFirstReceiveTimestamp: '0',
      },
      messageAttributes: {},
      md5OfBody: '',
      eventSource: 'aws:sqs',
      eventSourceARN: '',
      awsRegion: '',
    },
  ],
});
