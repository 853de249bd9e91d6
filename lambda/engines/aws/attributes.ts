import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { StoreUnavailableError } from '../../errors.ts';

/** An item as DynamoDB sends it. */
export type Item = Readonly<Record<string, AttributeValue>>;

/** A string attribute. */
export const S = (text: string): AttributeValue => ({ S: text });

/** A number attribute; callers give safe integers only. */
export const N = (value: number): AttributeValue => ({ N: String(value) });

/** A string attribute of an item. @throws StoreUnavailableError where it is missing or of another type. */
export const text = (item: Item, name: string): string => item[name]?.S ?? damaged(name);

export const textOrNull = (item: Item, name: string): string | null => item[name]?.S ?? null;

/** A whole number of an item. @throws StoreUnavailableError where it is missing or none. */
export const integer = (item: Item, name: string): number => {
  const value = Number(item[name]?.N ?? Number.NaN);
  return Number.isSafeInteger(value) ? value : damaged(name);
};

export const integerOrNull = (item: Item, name: string): number | null =>
  item[name] === undefined ? null : integer(item, name);

/** A string attribute that holds one of `values`. @throws StoreUnavailableError where it does not. */
export const oneOf = <const T extends string>(item: Item, name: string, values: readonly T[]): T => {
  const value = text(item, name);
  return values.find((known) => known === value) ?? damaged(name);
};

/** What an item that cannot be read ends in. @throws StoreUnavailableError, always. */
export const damaged = (name: string): never => {
  throw new StoreUnavailableError(`a table holds an item whose ${name} cannot be read`, {
    remedy: 'something else than this pipeline wrote it; restore the table, or delete the item',
  });
};
