import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { OnlyReadError } from '../../errors.ts';
import { BUSY_TIMEOUT_MS, Ledger, type LedgerRow, versionOf } from './database.ts';
import { asLedgerError, sqliteCodeOf } from './ledger-errors.ts';
import { LEDGER_VERSION } from './schema.ts';

type Values = Parameters<Ledger['get']>[1];

/** SQLITE_CANTOPEN. */
const CANNOT_OPEN = 14;
/** How often a ledger is opened anew because its log came or went meanwhile. */
const ATTEMPTS = 5;

/**
 * A ledger that is only looked at: nothing in its folder is made, written or locked, so that the folder may be another
 * user's or on a read-only disk.
 *
 * While somebody works on the folder a write-ahead log lies beside the ledger, and SQLite's own read-only mode
 * (https://sqlite.org/wal.html#readonly) answers from both. With no log, that mode would make one; the ledger is opened
 * as `immutable` instead, which takes no lock: whether anybody began to write meanwhile is seen by the files, before and after
 * every look, and then it is looked again.
 */
class ReadLedger extends Ledger {
  #opened: Opened;

  constructor(path: string, opened: Opened) {
    super(path, opened.database);
    this.#opened = opened;
  }

  /** @throws OnlyReadError always: who only looks has nothing to write. */
  override run(): number {
    throw new OnlyReadError(`the ledger ${this.path} is only read here, but something would have to be written`, {
      remedy: 'run the scene again, or ask tileonce status what is under way',
    });
  }

  override get(sql: string, values?: Values): LedgerRow | undefined {
    return this.#steady(() => super.get(sql, values));
  }

  override all(sql: string, values?: Values): LedgerRow[] {
    return this.#steady(() => super.all(sql, values));
  }

  /** Reads need no lock, and there are no writes. */
  override transaction<T>(work: () => T): T {
    return work();
  }

  #steady<T>(read: () => T): T {
    for (;;) {
      if (!isCurrent(this.path, this.#opened)) this.#reopen();
      try {
        const result = read();
        if (isCurrent(this.path, this.#opened)) return result;
      } catch (error) {
        // Half of a change may look like damage.
        if (isCurrent(this.path, this.#opened)) throw error;
      }
    }
  }

  #reopen(): void {
    this.#opened = openToLook(this.path);
    this.use(this.#opened.database);
  }
}

interface Opened {
  readonly database: DatabaseSync;
  /** The file's state when it was opened as immutable; null where SQLite itself sees to what is current. */
  readonly state: string | null;
}

/**
 * Opens a ledger to look at it.
 *
 * @returns null for a ledger of an earlier version, which must be brought up to date first.
 * @throws StoreUnavailableError where it cannot be opened or was written by a later version.
 */
export const openLedgerToRead = (path: string): Ledger | null => {
  try {
    const opened = openToLook(path);
    const ledger = new ReadLedger(path, opened);
    try {
      if (versionOf(opened.database, path) === LEDGER_VERSION) return ledger;
    } catch (error) {
      ledger.close();
      throw error;
    }
    ledger.close();
    return null;
  } catch (error) {
    throw asLedgerError(error, path);
  }
};

const openToLook = (path: string): Opened => {
  for (let attempt = 1; ; attempt++) {
    const state = stateOf(path);
    const url = pathToFileURL(path);
    if (state !== null) url.searchParams.set('immutable', '1');
    const database = new DatabaseSync(url, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      // SQLite opens the files with the first statement only.
      database.prepare('SELECT count(*) FROM sqlite_schema').get();
      return { database, state };
    } catch (error) {
      database.close();
      if (sqliteCodeOf(error) !== CANNOT_OPEN || attempt === ATTEMPTS) throw asLedgerError(error, path);
    }
  }
};

const isCurrent = (path: string, { state }: Opened): boolean => state === null || stateOf(path) === state;

/** What tells one state of a ledger without a log from another; null where a log lies beside it. */
const stateOf = (path: string): string | null => {
  if (statSync(`${path}-wal`, { throwIfNoEntry: false }) !== undefined) return null;
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? 'gone' : `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
};
