import { StoreUnavailableError } from '../../errors.ts';

const LOCAL_DISK = 'keep the output folder on a local disk, check the disk, and run again: what was finished stays';

/** SQLite's primary result codes (https://sqlite.org/rescode.html) that are the disk's or another process's doing. */
const EXPLANATIONS: Readonly<Record<number, readonly [trait: string, remedy: string]>> = {
  3: ['permission denied', 'make it writable for this user, or choose another output folder'],
  5: ['another process has kept it locked', 'see which process uses the output folder, and run again'],
  8: ['it is read-only', 'make it writable for this user, or choose another output folder'],
  10: ['the disk reported an error', LOCAL_DISK],
  11: ['it is damaged', 'move it away and run again: finished outputs are found and not written again'],
  13: ['the disk is full', 'free some space and run again: what was finished stays'],
  14: ['it cannot be opened', 'make the folder writable for this user, or choose another output folder'],
  15: ['its file system cannot lock files', LOCAL_DISK],
  26: ['it is not a ledger', 'move it away and run again: finished outputs are found and not written again'],
};

/** SQLite's primary result code; undefined for anything that is no SQLite error. */
export const sqliteCodeOf = (error: unknown): number | undefined =>
  typeof error === 'object' && error !== null && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode % 256
    : undefined;

/** SQLITE_BUSY. */
export const isBusy = (error: unknown): boolean => sqliteCodeOf(error) === 5;

/** A failing ledger as one clear StoreUnavailableError; anything else (a defect, or already ours) as it is. */
export const asLedgerError = (error: unknown, path: string): unknown => {
  const explanation = EXPLANATIONS[sqliteCodeOf(error) ?? -1];
  if (explanation === undefined) return error;
  const [trait, remedy] = explanation;
  return new StoreUnavailableError(`the ledger ${path} failed: ${trait}`, { remedy, cause: error });
};
