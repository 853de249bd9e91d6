import type { ClaimStore } from '../../lambda/gates/claim-store.ts';
import type { ManifestStore } from '../../lambda/gates/manifest-store.ts';
import type { ObjectStore } from '../../lambda/gates/object-store.ts';
import type { Queue } from '../../lambda/gates/queue.ts';
import type { SourceStore } from '../../lambda/pipeline/source-store.ts';
import type { CallPoint } from './chaos.ts';
import type { Observer } from './observer.ts';
import type { FaultAnswers, Process } from './process.ts';
import type { SourceObjects } from './source-objects.ts';
import type { SharedStores } from './stores.ts';

/** The source bucket as the pipeline sees it, with nothing going wrong. */
export const plainSources = (objects: SourceObjects): SourceStore => ({
  look: (_bucket, key) => Promise.resolve(objects.look(key)),
  open: (source) =>
    Promise.resolve({
      name: source.key,
      size: source.bytes,
      read: async (ranges) => ranges.map(({ offset, length }) => objects.read(source, offset, length)),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
});

export interface ProcessStores {
  readonly claims: ClaimStore;
  readonly objects: ObjectStore;
  readonly manifest: ManifestStore;
  readonly queue: Queue;
  readonly sources: SourceStore;
}

/** The shared stores as one process reaches them: every call a step that may go wrong, every effect observed. */
export const gatedStores = (shared: SharedStores, process: Process, observer: Observer): ProcessStores => {
  const gate =
    (store: CallPoint['store']) =>
    <T>(method: string, key: string, effect: () => Promise<T>, answers?: FaultAnswers<T>): Promise<T> =>
      process.call({ store, method, key }, effect, answers);
  return {
    claims: gatedClaims(shared, process, observer, gate('claims')),
    objects: gatedObjects(shared, process, observer, gate('objects')),
    manifest: gatedManifest(shared, process, observer, gate('manifest')),
    queue: gatedQueue(shared, process, observer, gate('queue')),
    sources: gatedSources(shared, gate('sources')),
  };
};

type Gate = <T>(method: string, key: string, effect: () => Promise<T>, answers?: FaultAnswers<T>) => Promise<T>;

const gatedClaims = ({ claims }: SharedStores, process: Process, observer: Observer, gate: Gate): ClaimStore => ({
  claim: (request) =>
    gate('claim', request.jobId, async () => {
      const before = claims.rows.get(request.jobId);
      const answer = await claims.claim(request);
      observer.claimed(process, request, before, answer);
      return answer;
    }),
  commit: (request) =>
    gate('commit', request.jobId, async () => {
      const before = claims.rows.get(request.jobId);
      const answer = await claims.commit(request);
      observer.committed(request, before, answer);
      return answer;
    }),
  release: (request) =>
    gate('release', request.jobId, async () => {
      const answer = await claims.release(request);
      if (answer === 'done') observer.released(process, request.jobId);
      return answer;
    }),
  extend: (request) => gate('extend', request.jobId, () => claims.extend(request)),
  get: (jobId) => gate('get', jobId, () => claims.get(jobId)),
  seize: (request) =>
    gate('seize', request.jobId, async () => {
      const answer = await claims.seize(request);
      if (answer.kind === 'won') observer.seized(process, request.jobId);
      return answer;
    }),
  forget: (request) =>
    gate('forget', request.jobId, async () => {
      const answer = await claims.forget(request);
      if (answer === 'done') observer.released(process, request.jobId);
      return answer;
    }),
});

const gatedObjects = ({ objects }: SharedStores, process: Process, observer: Observer, gate: Gate): ObjectStore => ({
  create: (object) =>
    gate(
      'create',
      object.key,
      async () => {
        const answer = await objects.create(object);
        observer.objectPut(process, object.key, answer.kind);
        return answer;
      },
      { conflict: { kind: 'conflict' } },
    ),
  replace: (object, etag) =>
    gate(
      'replace',
      object.key,
      async () => {
        const answer = await objects.replace(object, etag);
        observer.objectReplaced(process, object.key, answer.kind, etag);
        return answer;
      },
      { conflict: { kind: 'conflict' } },
    ),
  upload: (object, etag) =>
    gate('upload', object.key, async () => {
      const upload = await objects.upload(object, etag);
      return {
        write: (bytes) => gate('write', object.key, () => upload.write(bytes)),
        complete: () =>
          gate(
            'complete',
            object.key,
            async () => {
              const answer = await upload.complete();
              if (etag === undefined) observer.objectPut(process, object.key, answer.kind);
              else
                observer.objectReplaced(
                  process,
                  object.key,
                  answer.kind === 'created' ? 'replaced' : answer.kind,
                  etag,
                );
              return answer;
            },
            { conflict: { kind: 'conflict' }, gone: { kind: 'gone' } },
          ),
        abort: () => gate('abort', object.key, () => upload.abort()),
      };
    }),
  head: (key) => gate('head', key, () => objects.head(key)),
  get: (key) => gate('get', key, () => objects.get(key)),
  open: (key, etag) => gate('open', key, () => objects.open(key, etag)),
  remove: (key, etag) =>
    gate('remove', key, async () => {
      const removed = await objects.remove(key, etag);
      if (removed) observer.objectRemoved(key);
      return removed;
    }),
  list: (prefix) => objects.list(prefix),
  countVersions: (prefix) => gate('countVersions', prefix, () => objects.countVersions(prefix)),
  eraseVersions: (key) => gate('eraseVersions', key, () => objects.eraseVersions(key)),
});

const gatedManifest = (shared: SharedStores, process: Process, observer: Observer, gate: Gate): ManifestStore => {
  const { manifest } = shared;
  return {
    createPlan: (record) =>
      gate('createPlan', record.sceneJobId, async () => {
        const answer = await manifest.createPlan(record);
        if (answer === 'created') observer.planOpened(record.sceneJobId);
        return answer;
      }),
    getPlan: (id) => gate('getPlan', id, () => manifest.getPlan(id)),
    closePlan: (id, to, reason) =>
      gate('closePlan', id, async () => {
        const closed = await manifest.closePlan(id, to, reason);
        if (closed) observer.planClosed(id, to);
        return closed;
      }),
    reopenPlan: (id) =>
      gate('reopenPlan', id, async () => {
        const opened = await manifest.reopenPlan(id);
        if (opened) observer.planOpened(id);
        return opened;
      }),
    postponeHeal: (id, expected, next, look) =>
      gate('postponeHeal', id, () => manifest.postponeHeal(id, expected, next, look)),
    movePlan: (id, from, to, reason) =>
      gate('movePlan', id, async () => {
        const moved = await manifest.movePlan(id, from, to, reason);
        if (moved && to === 'OPEN') observer.planOpened(id);
        else if (moved) observer.planClosed(id, to);
        return moved;
      }),
    listPlans: () => gate('listPlans', '', () => manifest.listPlans()),
    listUnfinished: () => gate('listUnfinished', '', () => manifest.listUnfinished()),
    putRow: (row) =>
      gate('putRow', row.window, async () => {
        const answer = await manifest.putRow(row);
        if (answer === 'created') observer.rowCreated(process, row);
        return answer;
      }),
    getRow: (id, window) => gate('getRow', window, () => manifest.getRow(id, window)),
    countRows: (id) => gate('countRows', id, () => manifest.countRows(id)),
    listRows: (id) => gate('listRows', id, () => manifest.listRows(id)),
    replaceRow: (row, etag) =>
      gate('replaceRow', row.window, async () => {
        const replaced = await manifest.replaceRow(row, etag);
        if (replaced) observer.rowReplaced(row);
        return replaced;
      }),
    deleteRow: (sceneJobId, window, etag) =>
      gate('deleteRow', window, async () => {
        const deleted = await manifest.deleteRow(sceneJobId, window, etag);
        if (deleted) observer.rowDeleted({ sceneJobId, window });
        return deleted;
      }),
  };
};

const gatedQueue = ({ queue }: SharedStores, process: Process, observer: Observer, gate: Gate): Queue => ({
  send: (name, bodies, options) => {
    const send = async (some: readonly string[]): Promise<void> => {
      await queue.send(name, some, options);
      observer.sent(process, name, some);
    };
    const half = bodies.slice(0, Math.floor(bodies.length / 2));
    return gate('send', name, () => send(bodies), { inPart: () => send(half) });
  },
  receive: (name) => gate('receive', name, () => queue.receive(name)),
  acknowledge: (name, receipt) => gate('acknowledge', name, () => queue.acknowledge(name, receipt)),
  hide: (name, receipt, ms) => gate('hide', name, () => queue.hide(name, receipt, ms)),
  postpone: (name, receipt, ms) => gate('postpone', name, () => queue.postpone(name, receipt, ms)),
});

const gatedSources = (shared: SharedStores, gate: Gate): SourceStore => {
  const plain = plainSources(shared.sources);
  return {
    look: (bucket, key) => gate('look', key, () => plain.look(bucket, key)),
    open: async (source) => {
      const reader = await plain.open(source);
      return { ...reader, read: (ranges, signal) => gate('read', source.key, () => reader.read(ranges, signal)) };
    },
  };
};
