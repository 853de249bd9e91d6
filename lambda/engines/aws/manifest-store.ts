import {
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  type PutItemCommandInput,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
  ScanCommand,
  type ScanCommandInput,
} from '@aws-sdk/client-dynamodb';
import {
  type HealLook,
  type ManifestRow,
  type ManifestStore,
  type PlanRecord,
  type PlanState,
  UNFINISHED,
  type WindowName,
} from '../../gates/manifest-store.ts';
import { type Item, N, S, text } from './attributes.ts';
import { isConditionFailure, updateIf } from './conditional-update.ts';
import { eachOf } from './each-of.ts';
import { onStore } from './errors.ts';
import {
  FIRST_WINDOW,
  PLAN_WINDOW,
  UNFINISHED_INDEX,
  itemOfPlan,
  itemOfRow,
  planOfItem,
  rowOfItem,
} from './manifest-items.ts';

export interface DynamoManifestStoreParts {
  readonly client: Pick<DynamoDBClient, 'send'>;
  /** Partition key `job_id`, sort key `window`. */
  readonly table: string;
}

/** Plans read at once. */
const READS_AT_ONCE = 8;

/** The placeholder of a name's value: `:state` of `#state`. */
const valueOf = (name: string): string => name.replace('#', ':');

/**
 * Plans and manifest rows in one DynamoDB table: a scene's rows under its job id by window, its plan beside them as
 * window `#plan` (docs/design.md, sections 3 and 5). Create-only; every read is consistent.
 */
export class DynamoManifestStore implements ManifestStore {
  readonly #client: Pick<DynamoDBClient, 'send'>;
  readonly #table: string;

  constructor({ client, table }: DynamoManifestStoreParts) {
    this.#client = client;
    this.#table = table;
  }

  /** @throws TileonceError where the plan is larger than an item may be. */
  async createPlan(record: PlanRecord): Promise<'created' | 'exists'> {
    return this.#create(itemOfPlan(record));
  }

  async getPlan(sceneJobId: string): Promise<PlanRecord | null> {
    const item = await this.#get(sceneJobId, PLAN_WINDOW);
    return item === null ? null : planOfItem(item);
  }

  async closePlan(sceneJobId: string, to: Exclude<PlanState, 'OPEN'>, reason: string | null): Promise<boolean> {
    return this.movePlan(sceneJobId, ['OPEN'], to, reason);
  }

  async reopenPlan(sceneJobId: string): Promise<boolean> {
    return this.movePlan(sceneJobId, ['SUPERSEDED', 'FAILED'], 'OPEN', null);
  }

  async postponeHeal(sceneJobId: string, expected: number, next: number, look?: HealLook): Promise<boolean> {
    return this.#movePlan(
      sceneJobId,
      `SET next_heal_at = :next${look === undefined ? '' : ', heals = :heals, rows_at_heal = :rows'}`,
      '#state = :open AND next_heal_at = :expected',
      {
        ':next': N(next),
        ':expected': N(expected),
        ':open': S('OPEN'),
        ...(look === undefined ? {} : { ':heals': N(look.heals), ':rows': N(look.rowsAtHeal) }),
      },
    );
  }

  async movePlan(
    sceneJobId: string,
    from: readonly PlanState[],
    to: PlanState,
    reason: string | null,
  ): Promise<boolean> {
    const states = Object.fromEntries(from.map((state, index) => [`:from${index}`, S(state)]));
    const set: Item = {
      '#state': S(to),
      ...(reason === null ? {} : { '#reason': S(reason) }),
      ...(UNFINISHED.includes(to) ? { '#unfinished': S(sceneJobId) } : {}),
    };
    const removed = ['#reason', '#unfinished'].filter((name) => set[name] === undefined);
    return this.#movePlan(
      sceneJobId,
      `SET ${Object.keys(set)
        .map((name) => `${name} = ${valueOf(name)}`)
        .join(', ')}` + (removed.length === 0 ? '' : ` REMOVE ${removed.join(', ')}`),
      `#state IN (${Object.keys(states).join(', ')})`,
      { ...states, ...Object.fromEntries(Object.entries(set).map(([name, value]) => [valueOf(name), value])) },
    );
  }

  /** In no particular order. Walks the whole table. */
  async listPlans(): Promise<PlanRecord[]> {
    const items = await this.#scan({
      FilterExpression: '#window = :plan',
      ExpressionAttributeNames: { '#window': 'window' },
      ExpressionAttributeValues: { ':plan': S(PLAN_WINDOW) },
      ConsistentRead: true,
    });
    return items.map(planOfItem);
  }

  /** A scan of the sparse index, which finished plans and rows are not in; each plan is then read for itself. */
  async listUnfinished(): Promise<PlanRecord[]> {
    const ids = (await this.#scan({ IndexName: UNFINISHED_INDEX })).map((item) => text(item, 'job_id'));
    const plans: PlanRecord[] = [];
    await eachOf(ids, READS_AT_ONCE, async (id) => {
      const record = await this.getPlan(id);
      if (record !== null && UNFINISHED.includes(record.state)) plans.push(record);
    });
    return plans;
  }

  /** Every item of the table or of one of its indexes, page by page. */
  async #scan(request: Omit<ScanCommandInput, 'TableName' | 'ExclusiveStartKey'>): Promise<Item[]> {
    const items: Item[] = [];
    let start: Item | undefined;
    do {
      const from = start;
      const page = await onStore(this.#unread, () =>
        this.#client.send(
          new ScanCommand({
            TableName: this.#table,
            ...request,
            ...(from === undefined ? {} : { ExclusiveStartKey: from }),
          }),
        ),
      );
      items.push(...(page.Items ?? []));
      start = page.LastEvaluatedKey;
    } while (start !== undefined);
    return items;
  }

  async putRow(row: ManifestRow): Promise<'created' | 'exists'> {
    return this.#create(itemOfRow(row));
  }

  async getRow(sceneJobId: string, window: WindowName): Promise<ManifestRow | null> {
    const item = await this.#get(sceneJobId, window);
    return item === null ? null : rowOfItem(item);
  }

  async countRows(sceneJobId: string): Promise<number> {
    let count = 0;
    for await (const page of this.#rowPages(sceneJobId, { Select: 'COUNT' })) count += page.Count ?? 0;
    return count;
  }

  async listRows(sceneJobId: string): Promise<ManifestRow[]> {
    const rows: ManifestRow[] = [];
    for await (const page of this.#rowPages(sceneJobId, {})) rows.push(...(page.Items ?? []).map(rowOfItem));
    return rows;
  }

  async replaceRow(row: ManifestRow, etag: string | null): Promise<boolean> {
    return this.#changeRow(row.sceneJobId, row.window, etag, (condition) =>
      this.#client.send(new PutItemCommand({ TableName: this.#table, Item: itemOfRow(row), ...condition })),
    );
  }

  async deleteRow(sceneJobId: string, window: WindowName, etag: string | null): Promise<boolean> {
    const Key = { job_id: S(sceneJobId), window: S(window) };
    return this.#changeRow(sceneJobId, window, etag, (condition) =>
      this.#client.send(new DeleteItemCommand({ TableName: this.#table, Key, ...condition })),
    );
  }

  /** Runs one change of a row under the condition that it is the inspected one. */
  #changeRow(
    sceneJobId: string,
    window: WindowName,
    etag: string | null,
    change: (
      condition: Pick<PutItemCommandInput, 'ConditionExpression' | 'ExpressionAttributeNames'>,
    ) => Promise<unknown>,
  ): Promise<boolean> {
    const empty = etag === null;
    const condition = {
      ConditionExpression: `#job_id = :scene AND #window = :window AND ${empty ? '#state = :inspected' : '#etag = :inspected'}`,
      ExpressionAttributeNames: {
        '#job_id': 'job_id',
        '#window': 'window',
        ...(empty ? { '#state': 'state' } : { '#etag': 'etag' }),
      },
      ExpressionAttributeValues: { ':scene': S(sceneJobId), ':window': S(window), ':inspected': S(etag ?? 'EMPTY') },
    };
    return onStore(this.#unwritten, async () => {
      try {
        await change(condition);
        return true;
      } catch (error) {
        if (isConditionFailure(error)) return false;
        throw error;
      }
    });
  }

  get #unread(): string {
    return `the manifest table ${this.#table} could not be read`;
  }

  get #unwritten(): string {
    return `the manifest table ${this.#table} could not be written`;
  }

  /** Every page of a scene's rows, in window order. A page ends at 1 MB, also where only a count is asked for. */
  async *#rowPages(sceneJobId: string, ask: Pick<QueryCommandInput, 'Select'>): AsyncGenerator<QueryCommandOutput> {
    let start: Item | undefined;
    do {
      const from = start;
      const page: QueryCommandOutput = await onStore(this.#unread, () =>
        this.#client.send(
          new QueryCommand({
            TableName: this.#table,
            KeyConditionExpression: '#job_id = :scene AND #window >= :first',
            ExpressionAttributeNames: { '#job_id': 'job_id', '#window': 'window' },
            ExpressionAttributeValues: { ':scene': S(sceneJobId), ':first': S(FIRST_WINDOW) },
            ConsistentRead: true,
            ...ask,
            ...(from === undefined ? {} : { ExclusiveStartKey: from }),
          }),
        ),
      );
      yield page;
      start = page.LastEvaluatedKey;
    } while (start !== undefined);
  }

  async #get(sceneJobId: string, window: string): Promise<Item | null> {
    const { Item: item } = await onStore(this.#unread, () =>
      this.#client.send(
        new GetItemCommand({
          TableName: this.#table,
          Key: { job_id: S(sceneJobId), window: S(window) },
          ConsistentRead: true,
        }),
      ),
    );
    return item ?? null;
  }

  #create(item: Item): Promise<'created' | 'exists'> {
    return onStore(this.#unwritten, async () => {
      try {
        await this.#client.send(
          new PutItemCommand({
            TableName: this.#table,
            Item: item,
            ConditionExpression: 'attribute_not_exists(#job_id) AND attribute_not_exists(#window)',
            ExpressionAttributeNames: { '#job_id': 'job_id', '#window': 'window' },
          }),
        );
        return 'created';
      } catch (error) {
        if (isConditionFailure(error)) return 'exists';
        throw error;
      }
    });
  }

  async #movePlan(sceneJobId: string, update: string, condition: string, values: Item): Promise<boolean> {
    const answer = await updateIf(this.#client, this.#unwritten, {
      TableName: this.#table,
      Key: { job_id: S(sceneJobId), window: S(PLAN_WINDOW) },
      UpdateExpression: update,
      ConditionExpression: condition,
      ExpressionAttributeNames: Object.fromEntries(
        ['state', 'reason', UNFINISHED_INDEX].flatMap((name) =>
          `${update} ${condition}`.includes(`#${name}`) ? [[`#${name}`, name]] : [],
        ),
      ),
      ExpressionAttributeValues: values,
    });
    return answer.kind === 'done';
  }
}
