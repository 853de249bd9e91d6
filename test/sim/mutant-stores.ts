import type { ManifestRow } from '../../lambda/gates/manifest-store.ts';
import type { NewObject, ObjectStore } from '../../lambda/gates/object-store.ts';
import type { PipelineContext } from '../../lambda/pipeline/context.ts';
import type { SharedStores } from './stores.ts';

/** What each simulation's pipeline named its objects, by the key that it asked for: the latest counts. */
const namesOf = new WeakMap<SharedStores, Map<string, string>>();

/** Every write goes to a key of its own; readers and rows find the latest. */
export const namedAtRandom = (context: PipelineContext, stores: SharedStores): PipelineContext => {
  const names = namesOf.get(stores) ?? new Map<string, string>();
  namesOf.set(stores, names);
  const { objects, manifest } = context;
  const latest = (key: string): string => names.get(key) ?? key;
  const named = <T extends { readonly key: string }>(object: T): T => {
    const key = `${object.key}~${names.size}-${context.newOwner()}`;
    names.set(object.key, key);
    return { ...object, key };
  };
  const store: ObjectStore = {
    ...objects,
    create: (object) => objects.create(named(object)),
    upload: (object, etag) => objects.upload(named(object), etag),
    head: (key) => objects.head(latest(key)),
    get: (key) => objects.get(latest(key)),
    open: (key, etag) => objects.open(latest(key), etag),
  };
  const putRow = (row: ManifestRow) => manifest.putRow(row.state === 'EMPTY' ? row : { ...row, key: latest(row.key) });
  return { ...context, objects: store, manifest: { ...manifest, putRow } };
};

/** A tile's object is put once its row is there. */
export const rowFirst = (context: PipelineContext): PipelineContext => {
  const { objects, manifest } = context;
  const waiting = new Map<string, NewObject>();
  return {
    ...context,
    objects: {
      ...objects,
      create: async (object) => {
        if (!object.key.startsWith('tiles/')) return objects.create(object);
        waiting.set(object.key, object);
        return { kind: 'created', etag: 'to come' };
      },
    },
    manifest: {
      ...manifest,
      putRow: async (row) => {
        const answer = await manifest.putRow(row);
        const object = row.state === 'EMPTY' ? undefined : waiting.get(row.key);
        if (object !== undefined) await objects.create(object);
        return answer;
      },
    },
  };
};

/** What is counted and assembled is what stands under the scene's prefix, row or no row. */
export const listedByPrefix = (context: PipelineContext, { objects }: SharedStores): PipelineContext => {
  const { manifest } = context;
  const listRows = async (sceneJobId: string): Promise<ManifestRow[]> => {
    const rows = await manifest.listRows(sceneJobId);
    const known = new Set(rows.map(({ window }) => window));
    const prefix = `tiles/${sceneJobId}/`;
    for (const key of objects.keys().filter((name) => name.startsWith(prefix))) {
      const window = key.slice(prefix.length, -'.tif'.length);
      const object = objects.versions(key).at(-1);
      if (known.has(window) || object === undefined) continue;
      const { bytes, etag, sha256, digest } = object;
      const listed = { state: 'WRITTEN', sceneJobId, window, key, bytes, etag, sha256, digest: digest ?? '' } as const;
      rows.push({ ...listed, validPixels: 256, statistics: [null] });
    }
    return rows.toSorted((a, b) => (a.window < b.window ? -1 : 1));
  };
  return {
    ...context,
    manifest: { ...manifest, listRows, countRows: async (id) => (await listRows(id)).length },
  };
};

/** A row is deleted once its object is gone. */
export const objectFirst = (context: PipelineContext): PipelineContext => {
  const { objects, manifest } = context;
  const deleteRow: typeof manifest.deleteRow = async (sceneJobId, window, etag) => {
    const key = `tiles/${sceneJobId}/${window}.tif`;
    const found = await objects.head(key);
    if (found !== null) await objects.remove(key, found.etag);
    return manifest.deleteRow(sceneJobId, window, etag);
  };
  return { ...context, manifest: { ...manifest, deleteRow } };
};
