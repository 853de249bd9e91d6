import assert from 'node:assert/strict';
import type { ManifestRow, ManifestStore, PlanRecord } from '../../lambda/gates/manifest-store.ts';
import { type ContractCase, type MakeSubject, assertSame, contractTests } from './contract.ts';

const plan = (change: Partial<PlanRecord> = {}): PlanRecord => ({
  sceneJobId: 'scene',
  plan: '{"grid":"ä"}',
  windowCount: 4,
  state: 'OPEN',
  reason: null,
  nextHealAt: 1_767_225_600_000,
  heals: 0,
  rowsAtHeal: -1,
  location: '',
  ...change,
});

const written = (window: string, etag = 'etag', sceneJobId = 'scene'): ManifestRow => ({
  state: 'WRITTEN',
  sceneJobId,
  window,
  key: `tiles/${sceneJobId}/${window}.tif`,
  bytes: 4_294_967_297,
  etag,
  sha256: 'ab',
  digest: 'cd',
  validPixels: 262_143,
  statistics: [{ count: 262_143, min: -1, max: 0.1 + 0.2, mean: 1 / 3, m2: 1e-300 }, null],
});

const empty = (window: string, sceneJobId = 'scene'): ManifestRow => ({ state: 'EMPTY', sceneJobId, window });

/** The rules of docs/design.md, sections 3 and 5, as far as a store can be asked about them. */
export const manifestStoreCases: readonly ContractCase<ManifestStore>[] = [
  {
    name: 'a plan reads back as it was written',
    run: async (store) => {
      assert.equal(await store.getPlan('scene'), null);
      assert.equal(await store.createPlan(plan()), 'created');
      assertSame(await store.getPlan('scene'), plan());
      const other = plan({ sceneJobId: 'other', heals: 3, rowsAtHeal: 7, location: '/scenes/ä b' });
      await store.createPlan(other);
      assertSame(await store.getPlan('other'), other);
      const ids = (await store.listPlans()).map(({ sceneJobId }) => sceneJobId);
      assertSame(ids.sort(), ['other', 'scene']);
    },
  },
  {
    name: 'a second plan of a scene exists and changes nothing',
    run: async (store) => {
      await store.createPlan(plan());
      assert.equal(await store.createPlan(plan({ plan: '{"grid":2}', windowCount: 9 })), 'exists');
      assertSame(await store.getPlan('scene'), plan());
    },
  },
  {
    name: 'of eight plans at once one is created',
    run: async (store) => {
      const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => store.createPlan(plan({ plan: `${n}` }))));
      assert.equal(answers.filter((answer) => answer === 'created').length, 1);
      assert.equal((await store.getPlan('scene'))?.plan, String(answers.indexOf('created')));
    },
  },
  {
    name: 'a plan is closed only while it is open, and keeps the reason',
    run: async (store) => {
      assert.equal(await store.closePlan('scene', 'FAILED', 'no plan'), false);
      assert.equal(await store.getPlan('scene'), null);
      await store.createPlan(plan());
      assert.equal(await store.closePlan('scene', 'SUPERSEDED', 'a source changed'), true);
      assert.equal(await store.closePlan('scene', 'ASSEMBLED', null), false);
      assertSame(await store.getPlan('scene'), plan({ state: 'SUPERSEDED', reason: 'a source changed' }));
    },
  },
  {
    name: 'a superseded or failed plan may be opened again, no other',
    run: async (store) => {
      assert.equal(await store.reopenPlan('scene'), false);
      await store.createPlan(plan());
      assert.equal(await store.reopenPlan('scene'), false);
      for (const state of ['SUPERSEDED', 'FAILED'] as const) {
        await store.closePlan('scene', state, 'why');
        assert.equal(await store.reopenPlan('scene'), true);
        assert.equal((await store.getPlan('scene'))?.state, 'OPEN');
      }
      await store.closePlan('scene', 'ASSEMBLED', null);
      assert.equal(await store.reopenPlan('scene'), false);
      assert.equal((await store.getPlan('scene'))?.state, 'ASSEMBLED');
    },
  },
  {
    name: 'the unfinished plans are those that are OPEN or FAILED, and no rows',
    run: async (store) => {
      const unfinished = async () =>
        (await store.listUnfinished()).map(({ sceneJobId: id, state }) => `${id} ${state}`);
      assertSame(await unfinished(), []);
      await store.createPlan(plan());
      await store.createPlan(plan({ sceneJobId: 'other', state: 'ASSEMBLED' }));
      await store.putRow(written('0000_0000'));
      assertSame(await unfinished(), ['scene OPEN']);
      await store.closePlan('scene', 'FAILED', 'why');
      assertSame(await unfinished(), ['scene FAILED']);
      await store.reopenPlan('scene');
      await store.closePlan('scene', 'ASSEMBLED', null);
      assertSame(await unfinished(), []);
      await store.movePlan('scene', ['ASSEMBLED'], 'PURGED', 'by a person');
      assertSame(await unfinished(), []);
      await store.movePlan('scene', ['PURGED'], 'OPEN', null);
      assertSame(await store.listUnfinished(), [plan()]);
    },
  },
  {
    name: 'of reapers that postpone one healing at once, one does; a plan that is not OPEN is left alone',
    run: async (store) => {
      await store.createPlan({ ...plan(), nextHealAt: 5 });
      const answers = await Promise.all([10, 11, 12].map((next) => store.postponeHeal('scene', 5, next)));
      assert.equal(answers.filter(Boolean).length, 1);
      assert.equal((await store.getPlan('scene'))?.nextHealAt, 10 + answers.indexOf(true));
      await store.closePlan('scene', 'FAILED', 'why');
      assert.equal(await store.postponeHeal('scene', 10 + answers.indexOf(true), 20), false);
      assert.equal(await store.postponeHeal('nobody', 0, 20), false);
    },
  },
  {
    name: 'rows read back as they were written, statistics to the last bit',
    run: async (store) => {
      assert.equal(await store.getRow('scene', '0000_0000'), null);
      assert.equal(await store.putRow(written('0000_0000')), 'created');
      assert.equal(await store.putRow(empty('0000_0001')), 'created');
      assertSame(await store.getRow('scene', '0000_0000'), written('0000_0000'));
      assertSame(await store.getRow('scene', '0000_0001'), empty('0000_0001'));
    },
  },
  {
    name: 'a second row of a window exists and changes nothing',
    run: async (store) => {
      await store.putRow(written('0000_0000', 'first'));
      assert.equal(await store.putRow(written('0000_0000', 'second')), 'exists');
      assert.equal(await store.putRow(empty('0000_0000')), 'exists');
      assertSame(await store.getRow('scene', '0000_0000'), written('0000_0000', 'first'));
      assert.equal(await store.countRows('scene'), 1);
    },
  },
  {
    name: 'of eight rows of one window at once one is created',
    run: async (store) => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) => store.putRow(written('0000_0000', `etag ${n}`))),
      );
      assert.equal(answers.filter((answer) => answer === 'created').length, 1);
      assertSame(await store.listRows('scene'), [written('0000_0000', `etag ${answers.indexOf('created')}`)]);
    },
  },
  {
    name: 'a scene’s rows are counted and listed by window name, without another scene’s',
    run: async (store) => {
      for (const window of ['0010_0000', '0002_0001', '0002_0000']) await store.putRow(empty(window));
      await store.putRow(empty('0000_0000', 'scene2'));
      assert.equal(await store.countRows('scene'), 3);
      assert.equal(await store.countRows('nobody'), 0);
      const windows = (await store.listRows('scene')).map(({ window }) => window);
      assertSame(windows, ['0002_0000', '0002_0001', '0010_0000']);
    },
  },
  {
    name: 'a postponed healing keeps what the reaper saw, and what it saw before where it says nothing',
    run: async (store) => {
      await store.createPlan(plan({ nextHealAt: 5 }));
      assert.equal(await store.postponeHeal('scene', 5, 10, { heals: 2, rowsAtHeal: 3 }), true);
      assertSame(await store.getPlan('scene'), plan({ nextHealAt: 10, heals: 2, rowsAtHeal: 3 }));
      assert.equal(await store.postponeHeal('scene', 5, 11, { heals: 9, rowsAtHeal: 9 }), false);
      assert.equal(await store.postponeHeal('scene', 10, 20), true);
      assertSame(await store.getPlan('scene'), plan({ nextHealAt: 20, heals: 2, rowsAtHeal: 3 }));
    },
  },
  {
    name: 'a plan is moved only from the states that were named',
    run: async (store) => {
      assert.equal(await store.movePlan('scene', ['OPEN', 'FAILED'], 'PURGED', null), false);
      await store.createPlan(plan());
      assert.equal(await store.movePlan('scene', ['ASSEMBLED', 'FAILED'], 'PURGED', 'why'), false);
      assertSame(await store.getPlan('scene'), plan());
      assert.equal(await store.movePlan('scene', ['FAILED', 'OPEN'], 'PURGED', 'why'), true);
      assertSame(await store.getPlan('scene'), plan({ state: 'PURGED', reason: 'why' }));
      assert.equal(await store.movePlan('scene', ['PURGED'], 'OPEN', null), true);
      assertSame(await store.getPlan('scene'), plan());
    },
  },
  {
    name: 'a row is replaced only while its object is the inspected one',
    run: async (store) => {
      assert.equal(await store.replaceRow(written('0000_0000'), 'etag'), false);
      assert.equal(await store.getRow('scene', '0000_0000'), null);
      await store.putRow(written('0000_0000', 'first'));
      assert.equal(await store.replaceRow(written('0000_0000', 'second'), 'another'), false);
      assert.equal(await store.replaceRow(written('0000_0000', 'second'), null), false);
      assertSame(await store.getRow('scene', '0000_0000'), written('0000_0000', 'first'));
      assert.equal(await store.replaceRow(written('0000_0000', 'second'), 'first'), true);
      assertSame(await store.getRow('scene', '0000_0000'), written('0000_0000', 'second'));
      assert.equal(await store.countRows('scene'), 1);
    },
  },
  {
    name: 'a row becomes EMPTY, and an EMPTY row a written one',
    run: async (store) => {
      await store.putRow(written('0000_0000', 'first'));
      assert.equal(await store.replaceRow(empty('0000_0000'), 'first'), true);
      assertSame(await store.getRow('scene', '0000_0000'), empty('0000_0000'));
      assert.equal(await store.replaceRow(written('0000_0000', 'again'), 'first'), false);
      assert.equal(await store.replaceRow(written('0000_0000', 'again'), null), true);
      assertSame(await store.getRow('scene', '0000_0000'), written('0000_0000', 'again'));
    },
  },
  {
    name: 'of eight replacements of one row at once one is made',
    run: async (store) => {
      await store.putRow(written('0000_0000', 'first'));
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) => store.replaceRow(written('0000_0000', `etag ${n}`), 'first')),
      );
      assert.equal(answers.filter(Boolean).length, 1);
      assertSame(await store.getRow('scene', '0000_0000'), written('0000_0000', `etag ${answers.indexOf(true)}`));
    },
  },
  {
    name: 'a row is deleted only while its object is the inspected one',
    run: async (store) => {
      await store.putRow(written('0000_0000', 'first'));
      await store.putRow(empty('0000_0001'));
      assert.equal(await store.deleteRow('scene', '0000_0000', 'another'), false);
      assert.equal(await store.deleteRow('scene', '0000_0001', 'first'), false);
      assert.equal(await store.countRows('scene'), 2);
      assert.equal(await store.deleteRow('scene', '0000_0000', 'first'), true);
      assert.equal(await store.deleteRow('scene', '0000_0001', null), true);
      assert.equal(await store.deleteRow('scene', '0000_0001', null), false);
      assertSame(await store.listRows('scene'), []);
    },
  },
];

/** Every adapter of ManifestStore passes these. */
export const manifestStoreContract = (name: string, make: MakeSubject<ManifestStore>): void =>
  contractTests(`manifest store: ${name}`, manifestStoreCases, make);
