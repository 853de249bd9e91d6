import { describe, expect, it } from '@jest/globals';
import { DynamoManifestStore } from '../../../lambda/engines/aws/manifest-store.ts';
import { MOST_PLAN_BYTES, itemOfPlan, itemOfRow, rowOfItem } from '../../../lambda/engines/aws/manifest-items.ts';
import type { ManifestRow, PlanRecord } from '../../../lambda/gates/manifest-store.ts';
import { type Received, type Reply, answeringServer, jsonFailure, jsonReply } from './answering-server.ts';
import { testDynamo } from './test-clients.ts';

const serving = async (answer: (request: Received, nth: number) => Reply, maxAttempts = 1) => {
  const server = await answeringServer(answer);
  return {
    server,
    store: new DynamoManifestStore({ client: testDynamo(server.endpoint, maxAttempts), table: 'manifest' }),
  };
};

const plan: PlanRecord = {
  sceneJobId: 'scene',
  plan: '{}',
  windowCount: 400,
  state: 'OPEN',
  reason: null,
  nextHealAt: 0,
  heals: 0,
  rowsAtHeal: -1,
  location: '',
};

const written: ManifestRow = {
  state: 'WRITTEN',
  sceneJobId: 'scene',
  window: '0000_0000',
  key: 'k',
  bytes: 5_000_000_000,
  etag: 'e',
  sha256: 's',
  digest: 'd',
  validPixels: 3,
  statistics: [{ count: 3, min: -1, max: 0.1 + 0.2, mean: 1 / 3, m2: 5e-324 }, null],
};

const inputOf = (request: Received | undefined): Record<string, unknown> => JSON.parse(String(request?.body));

describe('the manifest in DynamoDB', () => {
  it('counts over all pages, each from where the last one ended', async () => {
    const last = { job_id: { S: 'scene' }, window: { S: '0003_0000' } };
    const { server, store } = await serving((_, nth) =>
      jsonReply(nth < 3 ? { Count: 170, LastEvaluatedKey: last } : { Count: 60 }),
    );
    await using _ = server;
    expect(await store.countRows('scene')).toBe(400);
    expect(server.received.map((call) => inputOf(call)['ExclusiveStartKey'])).toEqual([undefined, last, last]);
    expect(inputOf(server.received[0])).toMatchObject({ Select: 'COUNT', ConsistentRead: true });
  });

  it('lists the rows of all pages, also of one that is empty', async () => {
    const rows = ['0000_0000', '0001_0000'].map((window): ManifestRow => ({ ...written, window }));
    const last = { job_id: { S: 'scene' }, window: { S: '0000_0000' } };
    const pages = [
      { Items: rows.slice(0, 1).map(itemOfRow), LastEvaluatedKey: last },
      { LastEvaluatedKey: last },
      { Items: rows.slice(1).map(itemOfRow) },
    ];
    const { server, store } = await serving((_, nth) => jsonReply(pages[nth - 1]));
    await using _ = server;
    expect(await store.listRows('scene')).toEqual(rows);
  });

  it('lists the plans of all pages of a scan', async () => {
    const item = (id: string) => ({
      job_id: { S: id },
      window: { S: '#plan' },
      plan: { S: '{}' },
      window_count: { N: '400' },
      state: { S: 'OPEN' },
      next_heal_at: { N: '0' },
    });
    const { server, store } = await serving((_, nth) =>
      jsonReply(nth === 1 ? { Items: [item('a')], LastEvaluatedKey: { job_id: { S: 'a' } } } : { Items: [item('b')] }),
    );
    await using _ = server;
    expect(await store.listPlans()).toEqual([
      { ...plan, sceneJobId: 'a' },
      { ...plan, sceneJobId: 'b' },
    ]);
  });

  it('lists unfinished plans by their index, all pages of it, and leaves out what was closed since', async () => {
    const key = (id: string) => ({ job_id: { S: id }, window: { S: '#plan' }, unfinished: { S: id } });
    const { server, store } = await serving(({ operation, body }, nth) => {
      if (operation === 'Scan') {
        return jsonReply(nth === 1 ? { Items: [key('a')], LastEvaluatedKey: key('a') } : { Items: [key('b')] });
      }
      const id = String(body).includes('"a"') ? 'a' : 'b';
      return jsonReply({ Item: itemOfPlan({ ...plan, sceneJobId: id, state: id === 'a' ? 'FAILED' : 'ASSEMBLED' }) });
    });
    await using _ = server;
    expect(await store.listUnfinished()).toEqual([{ ...plan, sceneJobId: 'a', state: 'FAILED' }]);
    expect(inputOf(server.received[1])).toMatchObject({ IndexName: 'unfinished', ExclusiveStartKey: key('a') });
    expect(inputOf(server.received[2])).toMatchObject({ ConsistentRead: true });
  });

  it('finds its own row where the reply to its first put was lost', async () => {
    const { server, store } = await serving(
      (_, nth) => (nth === 1 ? { lost: 'whole' } : jsonFailure('ConditionalCheckFailedException')),
      2,
    );
    await using _ = server;
    expect(await store.putRow(written)).toBe('exists');
  });

  it('refuses a plan that no item can hold, before it asks the table', async () => {
    const { server, store } = await serving(() => jsonReply({}));
    await using _ = server;
    const large = { ...plan, plan: 'x'.repeat(MOST_PLAN_BYTES + 1) };
    await expect(store.createPlan(large)).rejects.toThrow(/scene scene is 405505 bytes long/);
    expect(server.received).toEqual([]);
    expect(await store.createPlan({ ...plan, plan: 'x'.repeat(MOST_PLAN_BYTES) })).toBe('created');
  });

  it('fails closed while the table is throttled', async () => {
    const { server, store } = await serving(() => jsonFailure('ThrottlingException'));
    await using _ = server;
    await expect(store.getPlan('scene')).rejects.toMatchObject({ name: 'StoreUnavailableError' });
    await expect(store.putRow(written)).rejects.toMatchObject({ name: 'StoreUnavailableError' });
    await expect(store.closePlan('scene', 'FAILED', 'why')).rejects.toMatchObject({ name: 'StoreUnavailableError' });
  });
});

describe('a manifest row', () => {
  it('keeps statistics to the last bit', () => {
    expect(rowOfItem(itemOfRow(written))).toEqual(written);
  });

  it.each([
    ['state', { S: 'HALF' }],
    ['bytes', { N: '1.5' }],
    ['statistics', { S: '[{"count":1}]' }],
    ['statistics', { S: 'no JSON' }],
    ['digest', { N: '1' }],
  ])('whose %s is damaged is refused by name', (name, value) => {
    expect(() => rowOfItem({ ...itemOfRow(written), [name]: value })).toThrow(`whose ${name} cannot be read`);
  });
});
