import assert from 'node:assert/strict';
import type { NewObject, ObjectStore } from '../../lambda/gates/object-store.ts';
import { sha256Hex } from '../../lambda/identity/sha256.ts';
import { type ContractCase, type MakeSubject, assertSame, contractTests } from './contract.ts';

const KEY = 'tiles/scene/0000_0001.tif';

const object = (text: string, key = KEY): NewObject => {
  const body = new Uint8Array(Buffer.from(text));
  const contentType = 'image/tiff; application=geotiff; profile=cloud-optimized';
  return { key, body, contentType, sha256: sha256Hex(body), digest: `digest of ${text}` };
};

const { body: _body, sha256: _sha256, ...announced } = object('announced');

const textAt = async (store: ObjectStore, key = KEY): Promise<string | null> => {
  const bytes = await store.get(key);
  return bytes === null ? null : Buffer.from(bytes).toString();
};

const etagOf = async (store: ObjectStore, key = KEY): Promise<string> => {
  const info = await store.head(key);
  assert.notEqual(info, null);
  return info?.etag ?? '';
};

const listed = async (store: ObjectStore, prefix: string): Promise<string[]> => {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys;
};

/** The rules of docs/design.md, section 5, as far as a store can be asked about them. */
export const objectStoreCases: readonly ContractCase<ObjectStore>[] = [
  {
    name: 'an object that is not there is null, however it is asked for',
    run: async (store) => {
      assertSame([await store.head(KEY), await store.get(KEY), await store.open(KEY)], [null, null, null]);
    },
  },
  {
    name: 'a created object reads back, and its head says what was written',
    run: async (store) => {
      const made = object('pixels');
      const answer = await store.create(made);
      assert.equal(answer.kind, 'created');
      assert.equal(await textAt(store), 'pixels');
      const info = await store.head(KEY);
      assertSame([info?.key, info?.bytes], [KEY, 6]);
      assert.equal(info?.etag, answer.kind === 'created' ? answer.etag : '');
      assert.ok(info?.sha256 === null || info?.sha256 === made.sha256);
      assert.ok(info?.digest === null || info?.digest === made.digest);
    },
  },
  {
    name: 'a second create sees that it exists, and the bytes stay the first one’s',
    run: async (store) => {
      await store.create(object('first'));
      const etag = await etagOf(store);
      assertSame(await store.create(object('second')), { kind: 'exists' });
      assert.equal(await textAt(store), 'first');
      assert.equal(await etagOf(store), etag);
    },
  },
  {
    name: 'of sixteen creates at once one wins, and the object is the winner’s',
    run: async (store) => {
      const answers = await Promise.all(Array.from({ length: 16 }, (_, n) => store.create(object(`pixels of ${n}`))));
      const winner = answers.findIndex(({ kind }) => kind === 'created');
      assert.equal(answers.filter(({ kind }) => kind === 'created').length, 1);
      assert.equal(await textAt(store), `pixels of ${winner}`);
    },
  },
  {
    name: 'a replace with the inspected etag puts the new bytes under a new etag',
    run: async (store) => {
      await store.create(object('old'));
      const inspected = await etagOf(store);
      const answer = await store.replace(object('new'), inspected);
      assert.equal(answer.kind, 'replaced');
      assert.equal(await textAt(store), 'new');
      const etag = await etagOf(store);
      assert.notEqual(etag, inspected);
      assert.equal(answer.kind === 'replaced' ? answer.etag : '', etag);
    },
  },
  {
    name: 'a replace with another etag is a mismatch and changes nothing',
    run: async (store) => {
      await store.create(object('first'));
      const stale = await etagOf(store);
      await store.replace(object('second'), stale);
      assertSame(await store.replace(object('third'), stale), { kind: 'mismatch' });
      assert.equal(await textAt(store), 'second');
    },
  },
  {
    name: 'a replace of what is gone is a mismatch and creates nothing',
    run: async (store) => {
      assertSame(await store.replace(object('new'), 'etag'), { kind: 'mismatch' });
      assert.equal(await store.head(KEY), null);
    },
  },
  {
    name: 'of eight replaces at once with one etag one wins',
    run: async (store) => {
      await store.create(object('first'));
      const inspected = await etagOf(store);
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) => store.replace(object(`pixels of ${n}`), inspected)),
      );
      const winner = answers.findIndex(({ kind }) => kind === 'replaced');
      assert.equal(answers.filter(({ kind }) => kind === 'replaced').length, 1);
      assert.equal(await textAt(store), `pixels of ${winner}`);
    },
  },
  {
    name: 'a remove with another etag leaves the object, with the inspected one it is gone',
    run: async (store) => {
      await store.create(object('pixels'));
      assert.equal(await store.remove(KEY, 'another'), false);
      assert.equal(await textAt(store), 'pixels');
      assert.equal(await store.remove(KEY, await etagOf(store)), true);
      assert.equal(await store.head(KEY), null);
      assert.equal(await store.remove(KEY, 'another'), false);
    },
  },
  {
    name: 'an upload is invisible until it is completed, then whole',
    run: async (store) => {
      const upload = await store.upload(announced);
      await upload.write(Buffer.from('block 1, '));
      assert.equal(await store.head(KEY), null);
      await upload.write(Buffer.from('block 2'));
      assert.equal(await store.get(KEY), null);
      const answer = await upload.complete();
      assert.equal(answer.kind, 'created');
      assert.equal(await textAt(store), 'block 1, block 2');
      assert.equal(answer.kind === 'created' ? answer.etag : '', await etagOf(store));
      await upload.abort();
      assert.equal(await textAt(store), 'block 1, block 2');
    },
  },
  {
    name: 'an upload that a rival overtook exists at its completion and changes nothing',
    run: async (store) => {
      const upload = await store.upload(announced);
      await upload.write(Buffer.from('late'));
      await store.create(object('rival'));
      assertSame(await upload.complete(), { kind: 'exists' });
      assert.equal(await textAt(store), 'rival');
    },
  },
  {
    name: 'an aborted upload leaves nothing and cannot be completed',
    run: async (store) => {
      const upload = await store.upload(announced);
      await upload.write(Buffer.from('half'));
      await upload.abort();
      await upload.abort();
      assertSame(await upload.complete(), { kind: 'gone' });
      assert.equal(await store.head(KEY), null);
    },
  },
  {
    name: 'an upload over the inspected object replaces it at its completion, whole',
    run: async (store) => {
      await store.create(object('old'));
      const upload = await store.upload(announced, await etagOf(store));
      await upload.write(Buffer.from('new and longer'));
      assert.equal(await textAt(store), 'old');
      const answer = await upload.complete();
      assert.equal(answer.kind, 'created');
      assert.equal(await textAt(store), 'new and longer');
      assert.equal(answer.kind === 'created' ? answer.etag : '', await etagOf(store));
    },
  },
  {
    name: 'an upload over an object that is no longer the inspected one changes nothing',
    run: async (store) => {
      await store.create(object('old'));
      const inspected = await etagOf(store);
      const upload = await store.upload(announced, inspected);
      await upload.write(Buffer.from('late'));
      await store.replace(object('rival'), inspected);
      assertSame(await upload.complete(), { kind: 'exists' });
      assert.equal(await textAt(store), 'rival');
      await upload.abort();
    },
  },
  {
    name: 'an upload over an object that is gone creates none',
    run: async (store) => {
      await store.create(object('old'));
      const inspected = await etagOf(store);
      const upload = await store.upload(announced, inspected);
      await upload.write(Buffer.from('late'));
      await store.remove(KEY, inspected);
      assertSame(await upload.complete(), { kind: 'exists' });
      assert.equal(await store.head(KEY), null);
      await upload.abort();
    },
  },
  {
    name: 'a listing has the keys of its prefix in order, with their sizes, and not what was removed',
    run: async (store) => {
      for (const key of ['tiles/b/1.tif', 'tiles/a/2.tif', 'tiles/a/1.tif', 'tiles/a-1/1.tif', 'scenes/a/item.json'])
        await store.create(object('pixels', key));
      await store.remove('tiles/a/2.tif', await etagOf(store, 'tiles/a/2.tif'));
      assertSame(await listed(store, 'tiles/'), ['tiles/a-1/1.tif', 'tiles/a/1.tif', 'tiles/b/1.tif']);
      assertSame(await listed(store, 'tiles/a/'), ['tiles/a/1.tif']);
      assertSame(await listed(store, 'tiles/a'), ['tiles/a-1/1.tif', 'tiles/a/1.tif']);
      assertSame(await listed(store, 'nothing/'), []);
      for await (const { bytes, modifiedAt } of store.list('tiles/b/')) {
        assert.equal(bytes, 6);
        assert.equal(Number.isFinite(modifiedAt), true);
      }
    },
  },
  {
    name: 'of a removed object no version is left once they are erased, and other keys keep theirs',
    run: async (store) => {
      await store.create(object('pixels'));
      await store.create(object('pixels', `${KEY}.other`));
      assert.equal(await store.countVersions(KEY), 2);
      await store.remove(KEY, await etagOf(store));
      await store.eraseVersions(KEY);
      assert.equal(await store.countVersions(KEY), 1);
      assert.equal(await textAt(store, `${KEY}.other`), 'pixels');
    },
  },
  {
    name: 'an object that stands again where one was removed is left when versions are erased',
    run: async (store) => {
      await store.create(object('first'));
      await store.remove(KEY, await etagOf(store));
      await store.create(object('again'));
      await store.eraseVersions(KEY);
      assert.equal(await textAt(store, KEY), 'again');
      assert.equal(await store.countVersions(KEY), 1);
    },
  },
  {
    name: 'ranges come in the order and length asked for',
    run: async (store) => {
      await store.create(object('0123456789'));
      const reader = await store.open(KEY, await etagOf(store));
      assert.notEqual(reader, null);
      await using open = reader;
      assert.equal(open?.size, 10);
      const parts =
        (await open?.read([
          { offset: 7, length: 3 },
          { offset: 0, length: 2 },
        ])) ?? [];
      assertSame(
        parts.map((part) => Buffer.from(part).toString()),
        ['789', '01'],
      );
      // Decoders wrap the buffer from its first byte.
      assertSame(
        parts.map((part) => [part.byteOffset, part.buffer.byteLength]),
        [
          [0, 3],
          [0, 2],
        ],
      );
    },
  },
  {
    name: 'a range beyond the end is an error, never short',
    run: async (store) => {
      await store.create(object('0123456789'));
      const reader = await store.open(KEY);
      assert.notEqual(reader, null);
      await using open = reader;
      await assert.rejects(async () => open?.read([{ offset: 8, length: 4 }]), /ends early/);
    },
  },
  {
    name: 'an object is not opened under an etag that it does not have',
    run: async (store) => {
      await store.create(object('first'));
      const stale = await etagOf(store);
      await store.replace(object('second'), stale);
      assert.equal(await store.open(KEY, stale), null);
    },
  },
];

/** Every adapter of ObjectStore passes these. */
export const objectStoreContract = (name: string, make: MakeSubject<ObjectStore>): void =>
  contractTests(`object store: ${name}`, objectStoreCases, make);
