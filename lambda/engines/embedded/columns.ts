import { StoreUnavailableError } from '../../errors.ts';
import type { LedgerRow } from './database.ts';

/** A text column. The tables are STRICT, so another type means a damaged ledger: StoreUnavailableError. */
export const text = (row: LedgerRow, column: string): string => {
  const value = row[column];
  return typeof value === 'string' ? value : damaged(column);
};

/** An integer column. @throws StoreUnavailableError where it holds anything else. */
export const integer = (row: LedgerRow, column: string): number => {
  const value = row[column];
  return typeof value === 'number' ? value : damaged(column);
};

export const textOrNull = (row: LedgerRow, column: string): string | null =>
  row[column] === null ? null : text(row, column);

export const integerOrNull = (row: LedgerRow, column: string): number | null =>
  row[column] === null ? null : integer(row, column);

/** A text column that holds one of `values`. @throws StoreUnavailableError where it does not. */
export const oneOf = <const T extends string>(row: LedgerRow, column: string, values: readonly T[]): T => {
  const value = text(row, column);
  return values.find((known) => known === value) ?? damaged(column);
};

/** What a column that cannot be read ends in. @throws StoreUnavailableError, always. */
export const damaged = (column: string): never => {
  throw new StoreUnavailableError(`the ledger holds a row whose ${column} cannot be read`, {
    remedy: 'move .tileonce away and run again: finished outputs are found and not written again',
  });
};
