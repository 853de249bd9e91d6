import { DeleteItemCommand, type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { StoreUnavailableError } from '../../errors.ts';
import type {
  ClaimAnswer,
  ClaimRequest,
  ClaimRow,
  ClaimStore,
  OwnerAnswer,
  ReleaseRequest,
} from '../../gates/claim-store.ts';
import { type Item, N, S, integer, integerOrNull, oneOf, text, textOrNull } from './attributes.ts';
import { type UpdateAnswer, isConditionFailure, updateIf } from './conditional-update.ts';
import { onStore } from './errors.ts';

export interface DynamoClaimStoreParts {
  readonly client: Pick<DynamoDBClient, 'send'>;
  /** Partition key `job_id`, time to live on `expires_at`. */
  readonly table: string;
}

const rowOf = (item: Item): ClaimRow => ({
  jobId: text(item, 'job_id'),
  state: oneOf(item, 'state', ['CLAIMED', 'COMMITTED']),
  owner: text(item, 'owner'),
  leaseUntil: integer(item, 'lease_until'),
  claimedAt: integer(item, 'claimed_at'),
  finishedAt: integerOrNull(item, 'finished_at'),
  attempts: integer(item, 'attempts'),
  result: textOrNull(item, 'result'),
  expiresAt: integerOrNull(item, 'expires_at'),
  lastError: textOrNull(item, 'last_error'),
});

/** Every name by placeholder: `state` and `owner` are reserved words of DynamoDB. */
const namesIn = (...expressions: string[]): Record<string, string> =>
  Object.fromEntries(
    [...expressions.join(' ').matchAll(/#(\w+)/g)].map(([placeholder, name = '']) => [placeholder, name]),
  );

const CLAIM = `SET #state = :claimed, #owner = :me, #lease_until = :until, #claimed_at = :now, #expires_at = :expires,
  #attempts = if_not_exists(#attempts, :none) + :one REMOVE #finished_at, #result, #last_error`;
const CLAIMED_BY_ME = '#state = :claimed AND #owner = :me';

/** A refused claim that finds no row (its time to live ended just then) is made again, this often at most. */
const MOST_CLAIMS = 3;

/**
 * Claims in a DynamoDB table (docs/design.md, section 4). The claim's condition
 *
 *     attribute_not_exists(job_id) OR (state = CLAIMED AND (lease_until < now OR owner = me))
 *
 * is asked in one UpdateItem for everyone but the owner itself; an update expression cannot leave `attempts` alone
 * for one branch of a condition, so `owner = me` (a lost reply, rare) is a second one. Either is atomic, and a refusal
 * brings the row with it: no second round trip.
 */
export class DynamoClaimStore implements ClaimStore {
  readonly #client: Pick<DynamoDBClient, 'send'>;
  readonly #table: string;

  constructor({ client, table }: DynamoClaimStoreParts) {
    this.#client = client;
    this.#table = table;
  }

  async claim(request: ClaimRequest): Promise<ClaimAnswer> {
    for (let attempt = 0; attempt < MOST_CLAIMS; attempt++) {
      const answer = await this.#update(
        request.jobId,
        CLAIM,
        'attribute_not_exists(#job_id) OR (#state = :claimed AND #lease_until < :now AND #owner <> :me)',
        { ...claimValues(request), ':none': N(0), ':one': N(1) },
      );
      if (answer.kind === 'done') {
        const earlier = answer.before === null ? 0 : integer(answer.before, 'attempts');
        return { kind: 'won', row: wonRow(request, earlier + 1), tookOver: answer.before !== null };
      }
      const row = await this.#rowBehind(request.jobId, answer.item);
      if (row === null) continue;
      if (row.state === 'COMMITTED') return { kind: 'committed', row };
      if (row.owner !== request.owner) return { kind: 'live', row };
      const again = await this.#claimAgain(request, row.attempts);
      if (again !== null) return again;
    }
    throw this.#restless(request.jobId);
  }

  async commit(request: { jobId: string; owner: string; now: number; result: string }): Promise<OwnerAnswer> {
    const answer = await this.#update(
      request.jobId,
      'SET #state = :committed, #finished_at = :now, #result = :result REMOVE #expires_at, #last_error',
      CLAIMED_BY_ME,
      {
        ':claimed': S('CLAIMED'),
        ':committed': S('COMMITTED'),
        ':me': S(request.owner),
        ':now': N(request.now),
        ':result': S(request.result),
      },
    );
    if (answer.kind === 'done') return 'done';
    const row = await this.#rowBehind(request.jobId, answer.item);
    return row?.state === 'COMMITTED' && row.owner === request.owner ? 'done' : 'lost';
  }

  async release({ jobId, owner, now, error }: ReleaseRequest): Promise<OwnerAnswer> {
    const told = error === undefined ? '' : ', #last_error = :error';
    // A lease that has lapsed already must not be made to end later.
    const answer = await this.#update(
      jobId,
      `SET #lease_until = :now${told}`,
      `${CLAIMED_BY_ME} AND #lease_until > :now`,
      {
        ':claimed': S('CLAIMED'),
        ':me': S(owner),
        ':now': N(now),
        ...(error === undefined ? {} : { ':error': S(error) }),
      },
    );
    if (answer.kind === 'done') return 'done';
    const row = await this.#rowBehind(jobId, answer.item);
    if (row?.state !== 'CLAIMED' || row.owner !== owner) return 'lost';
    return error === undefined ? 'done' : this.#tell(jobId, owner, error);
  }

  async extend(request: { jobId: string; owner: string; leaseUntil: number }): Promise<OwnerAnswer> {
    const answer = await this.#update(request.jobId, 'SET #lease_until = :until', CLAIMED_BY_ME, {
      ':claimed': S('CLAIMED'),
      ':me': S(request.owner),
      ':until': N(request.leaseUntil),
    });
    return answer.kind === 'done' ? 'done' : 'lost';
  }

  async get(jobId: string): Promise<ClaimRow | null> {
    const { Item: item } = await onStore(`the claims table ${this.#table} could not be read`, () =>
      this.#client.send(
        new GetItemCommand({ TableName: this.#table, Key: { job_id: S(jobId) }, ConsistentRead: true }),
      ),
    );
    return item === undefined ? null : rowOf(item);
  }

  async seize(request: ClaimRequest): Promise<ClaimAnswer> {
    for (let attempt = 0; attempt < MOST_CLAIMS; attempt++) {
      const answer = await this.#update(
        request.jobId,
        CLAIM,
        `attribute_not_exists(#job_id) OR #state = :committed OR
         (#state = :claimed AND (#lease_until < :now OR #owner = :me))`,
        { ...claimValues(request), ':committed': S('COMMITTED'), ':none': N(0), ':one': N(1) },
      );
      if (answer.kind === 'done') {
        const earlier = answer.before === null ? 0 : integer(answer.before, 'attempts');
        const tookOver = answer.before !== null && text(answer.before, 'owner') !== request.owner;
        return { kind: 'won', row: wonRow(request, earlier + 1), tookOver };
      }
      const row = await this.#rowBehind(request.jobId, answer.item);
      if (row?.state === 'CLAIMED') return { kind: 'live', row };
    }
    throw this.#restless(request.jobId);
  }

  async forget({ jobId, owner }: { jobId: string; owner: string }): Promise<OwnerAnswer> {
    return onStore(this.#unwritten, async () => {
      try {
        await this.#client.send(
          new DeleteItemCommand({
            TableName: this.#table,
            Key: { job_id: S(jobId) },
            ConditionExpression: `attribute_not_exists(#job_id) OR (${CLAIMED_BY_ME})`,
            ExpressionAttributeNames: { '#job_id': 'job_id', '#state': 'state', '#owner': 'owner' },
            ExpressionAttributeValues: { ':claimed': S('CLAIMED'), ':me': S(owner) },
          }),
        );
        return 'done';
      } catch (error) {
        if (isConditionFailure(error)) return 'lost';
        throw error;
      }
    });
  }

  /** Our own claim once more, its first reply lost: the attempt is the same. Null where the row is no longer ours. */
  async #claimAgain(request: ClaimRequest, attempts: number): Promise<ClaimAnswer | null> {
    const answer = await this.#update(
      request.jobId,
      'SET #lease_until = :until, #claimed_at = :now, #expires_at = :expires',
      CLAIMED_BY_ME,
      claimValues(request),
    );
    return answer.kind === 'done' ? { kind: 'won', row: wonRow(request, attempts), tookOver: false } : null;
  }

  /** What our attempt failed of, where its lease has lapsed before. */
  async #tell(jobId: string, owner: string, error: string): Promise<OwnerAnswer> {
    const values = { ':claimed': S('CLAIMED'), ':me': S(owner), ':error': S(error) };
    const answer = await this.#update(jobId, 'SET #last_error = :error', CLAIMED_BY_ME, values);
    return answer.kind === 'done' ? 'done' : 'lost';
  }

  get #unwritten(): string {
    return `the claims table ${this.#table} could not be written`;
  }

  #restless(jobId: string): StoreUnavailableError {
    return new StoreUnavailableError(`job ${jobId} could not be claimed: its row kept changing`, {
      remedy: 'it is tried again when the message comes back',
    });
  }

  /** The row that refused us; read where the store did not send it along. */
  async #rowBehind(jobId: string, item: Item | null): Promise<ClaimRow | null> {
    return item === null ? this.get(jobId) : rowOf(item);
  }

  #update(jobId: string, update: string, condition: string, values: Item): Promise<UpdateAnswer> {
    return updateIf(this.#client, this.#unwritten, {
      TableName: this.#table,
      Key: { job_id: S(jobId) },
      UpdateExpression: update,
      ConditionExpression: condition,
      ExpressionAttributeNames: namesIn(update, condition),
      ExpressionAttributeValues: values,
    });
  }
}

const claimValues = (request: ClaimRequest): Item => ({
  ':claimed': S('CLAIMED'),
  ':me': S(request.owner),
  ':now': N(request.now),
  ':until': N(request.leaseUntil),
  ':expires': N(request.expiresAt),
});

const wonRow = (request: ClaimRequest, attempts: number): ClaimRow => ({
  jobId: request.jobId,
  state: 'CLAIMED',
  owner: request.owner,
  leaseUntil: request.leaseUntil,
  claimedAt: request.now,
  finishedAt: null,
  attempts,
  result: null,
  expiresAt: request.expiresAt,
  lastError: null,
});
