import { type DynamoDBClient, UpdateItemCommand, type UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import type { Item } from './attributes.ts';
import { failureOf, onStore } from './errors.ts';

/** `refused`: the condition did not hold. `item` is what stood there; null where the store did not say. */
export type UpdateAnswer =
  | { readonly kind: 'done'; /** The item before; null where there was none. */ readonly before: Item | null }
  | { readonly kind: 'refused'; readonly item: Item | null };

/**
 * One conditional UpdateItem, in one round trip: a refusal brings the item that stood in the way with it.
 *
 * @throws StoreUnavailableError where the store gives no answer.
 */
export const updateIf = (
  client: Pick<DynamoDBClient, 'send'>,
  what: string,
  input: Omit<UpdateItemCommandInput, 'ReturnValues' | 'ReturnValuesOnConditionCheckFailure'>,
): Promise<UpdateAnswer> =>
  onStore(what, async (): Promise<UpdateAnswer> => {
    try {
      const { Attributes } = await client.send(
        new UpdateItemCommand({ ...input, ReturnValues: 'ALL_OLD', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
      );
      return { kind: 'done', before: Attributes ?? null };
    } catch (error) {
      if (!isConditionFailure(error)) throw error;
      return { kind: 'refused', item: itemOf(error) };
    }
  });

/** Both stores write under conditions; by name, because two copies of the SDK may be loaded. */
export const isConditionFailure = (error: unknown): boolean =>
  failureOf(error).name === 'ConditionalCheckFailedException';

const itemOf = (error: unknown): Item | null => {
  if (typeof error !== 'object' || error === null || !('Item' in error)) return null;
  const { Item: item } = error;
  return isItem(item) ? item : null;
};

const isItem = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;
