import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { StoreUnavailableError } from '../../errors.ts';
import { asLedgerError, isBusy } from './ledger-errors.ts';
import { LEDGER_VERSION, MIGRATIONS, SCHEMA } from './schema.ts';

export type LedgerRow = Readonly<Record<string, SQLOutputValue>>;

/** How long a writer waits for the other processes' and threads' writes before it gives up, ms. */
export const BUSY_TIMEOUT_MS = 30_000;

/**
 * The ledger: claims, queue, manifest and what is known of files, in one SQLite file. Everything here is synchronous,
 * so that nothing else of this thread can slip into an open transaction.
 */
export class Ledger {
  readonly path: string;
  #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string, database: DatabaseSync) {
    this.path = path;
    this.#database = database;
  }

  /** Runs one writing statement. @returns how many rows it changed. */
  run(sql: string, values: readonly SQLInputValue[] = []): number {
    return this.#guarded(() => Number(this.#statement(sql).run(...values).changes));
  }

  get(sql: string, values: readonly SQLInputValue[] = []): LedgerRow | undefined {
    return this.#guarded(() => this.#statement(sql).get(...values));
  }

  all(sql: string, values: readonly SQLInputValue[] = []): LedgerRow[] {
    return this.#guarded(() => this.#statement(sql).all(...values));
  }

  /**
   * Runs a read-then-write as one BEGIN IMMEDIATE transaction: all of it or nothing, and no other process or thread
   * writes between its first read and its commit.
   */
  transaction<T>(work: () => T): T {
    return this.#guarded(() => {
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        this.#database.exec('COMMIT');
        return result;
      } catch (error) {
        // A full disk makes SQLite roll back by itself.
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
        throw error;
      }
    });
  }

  close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  /** Goes on with another connection to the same ledger. */
  protected use(database: DatabaseSync): void {
    this.close();
    this.#database = database;
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const prepared = this.#database.prepare(sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw asLedgerError(error, this.path);
    }
  }
}

/**
 * Opens a ledger, making it where there is none.
 *
 * WAL with synchronous = NORMAL: a power cut may undo the last commits, but always a suffix of them, because recovery
 * replays a prefix of the log. Claims, queue and manifest share the file, so they are set back to one consistent
 * moment, and objects are on disk before their rows are written: what is lost is redone, and finds its objects there.
 * A killed process loses nothing at all. FULL would add an fsync to every claim, row and commit, and buy only that.
 *
 * @throws StoreUnavailableError where it cannot be opened or was written by a later version.
 */
export const openLedger = (path: string): Ledger => {
  // SQLite does not wait by its own timeout where two processes switch a fresh file to WAL at once.
  const deadline = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      return new Ledger(path, openDatabase(path));
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw asLedgerError(error, path);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
};

const openDatabase = (path: string): DatabaseSync => {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    if (database.prepare('PRAGMA journal_mode').get()?.['journal_mode'] !== 'wal') {
      database.exec('PRAGMA journal_mode = WAL');
    }
    database.exec('PRAGMA synchronous = NORMAL');
    if (versionOf(database, path) < LEDGER_VERSION) bringUpToDate(database, path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/** @throws StoreUnavailableError where a later version wrote it. */
export const versionOf = (database: DatabaseSync, path: string): number => {
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
  if (version <= LEDGER_VERSION) return version;
  throw new StoreUnavailableError(
    `the ledger ${path} was written by a later tileonce (ledger version ${version}; this one knows ${LEDGER_VERSION})`,
    { remedy: 'upgrade tileonce, or choose another output folder' },
  );
};

/** Makes the tables, or migrates those of an earlier version, which keep what they hold. */
const bringUpToDate = (database: DatabaseSync, path: string): void => {
  database.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have done it since we looked.
    const version = versionOf(database, path);
    if (version === 0) database.exec(SCHEMA);
    else for (const migration of MIGRATIONS.slice(version - 1)) database.exec(migration);
    database.exec(`PRAGMA user_version = ${LEDGER_VERSION}`);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
};
