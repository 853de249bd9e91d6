import { expect, it } from '@jest/globals';
import { StoreUnavailableError } from '../../lambda/errors.ts';
import { sha256Hex } from '../../lambda/identity/sha256.ts';
import { MemoryEngine } from './memory-engine.ts';
import type { StoreCall } from './memory/faults.ts';

const body = new Uint8Array([1, 2, 3]);
const object = { key: 'tiles/a.tif', body, contentType: 'image/tiff', sha256: sha256Hex(body), digest: 'd' };

it('a call that fails before its effect leaves nothing', async () => {
  const { objects, faults } = new MemoryEngine();
  faults.failBefore('objects.create');
  await expect(objects.create(object)).rejects.toThrow(StoreUnavailableError);
  expect(objects.versions('tiles/a.tif')).toEqual([]);
  expect((await objects.create(object)).kind).toBe('created');
});

it('a dropped reply has had its effect', async () => {
  const { objects, faults } = new MemoryEngine();
  faults.dropReply('objects.create tiles/a.tif');
  await expect(objects.create(object)).rejects.toThrow(StoreUnavailableError);
  expect(await objects.create(object)).toEqual({ kind: 'exists' });
  expect(objects.versions('tiles/a.tif')).toHaveLength(1);
});

it('a scripted conflict is answered so often and has no effect', async () => {
  const { objects, faults } = new MemoryEngine();
  faults.conflict('objects.create', 2);
  expect(await objects.create(object)).toEqual({ kind: 'conflict' });
  expect(await objects.create(object)).toEqual({ kind: 'conflict' });
  expect(objects.versions('tiles/a.tif')).toEqual([]);
  expect((await objects.create(object)).kind).toBe('created');
});

it('an outage lasts until it is ended', async () => {
  const { claims, manifest, faults } = new MemoryEngine();
  const end = faults.outage('claims');
  await expect(claims.get('job')).rejects.toThrow(/out of reach/);
  await expect(claims.get('job')).rejects.toThrow(/out of reach/);
  expect(await manifest.getPlan('scene')).toBeNull();
  end();
  expect(await claims.get('job')).toBeNull();
});

it('a held call stands still while a rival passes it', async () => {
  const { objects, faults } = new MemoryEngine();
  const hold = faults.hold('objects.create');
  const late = objects.create(object);
  await hold.reached;
  expect((await objects.create({ ...object, digest: 'rival' })).kind).toBe('created');
  hold.release();
  expect(await late).toEqual({ kind: 'exists' });
  expect(objects.versions('tiles/a.tif').map(({ digest }) => digest)).toEqual(['rival']);
});

it('the hook sees each call before and after its effect', async () => {
  const seen: StoreCall[] = [];
  const { objects } = new MemoryEngine({ hook: (call) => void seen.push(call) });
  await objects.head('tiles/a.tif');
  expect(seen).toEqual([
    { store: 'objects', method: 'head', key: 'tiles/a.tif', phase: 'before' },
    { store: 'objects', method: 'head', key: 'tiles/a.tif', phase: 'after' },
  ]);
});

it('replaced and removed versions stay in a key’s history', async () => {
  const { objects } = new MemoryEngine();
  const created = await objects.create(object);
  const etag = created.kind === 'created' ? created.etag : '';
  const replaced = await objects.replace({ ...object, digest: 'new' }, etag);
  await objects.remove('tiles/a.tif', replaced.kind === 'replaced' ? replaced.etag : '');
  expect(objects.versions('tiles/a.tif').map(({ how, digest }) => `${how} ${digest}`)).toEqual([
    'created d',
    'replaced new',
    'removed new',
  ]);
  expect(objects.keys()).toEqual([]);
});
