import { readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { integer, text } from './columns.ts';
import type { Ledger, LedgerRow } from './database.ts';
import { errnoOf, onDisk } from './errno.ts';
import { type ProcessIdentity, livenessOf, processIdOf } from './process-identity.ts';
import { ownerOfTemporary } from './temporary-files.ts';

export interface SweepReport {
  /** Dead processes that were cleaned up after. */
  readonly processes: number;
  /** Leases lapsed. */
  readonly leases: number;
  /** Messages made visible. */
  readonly messages: number;
  /** Temporary files removed. */
  readonly files: number;
}

export interface ProcessesParts {
  readonly ledger: Ledger;
  /** The folder of temporary files. */
  readonly temporaries: string;
  readonly identity: ProcessIdentity;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** Who works on this output folder, so that what a killed process left is taken over at once. */
export class Processes {
  /** This process, worker threads included: first part of its claim owners, receipts' holder and temporary files. */
  readonly id: string;
  readonly #parts: ProcessesParts;

  constructor(parts: ProcessesParts) {
    this.#parts = parts;
    this.id = processIdOf(parts.identity);
  }

  /** Puts this process on record: whoever takes work or makes files must be there first. */
  register(): void {
    const { ledger, identity, now } = this.#parts;
    if (ledger.get('SELECT id FROM processes WHERE id = ?', [this.id]) !== undefined) return;
    ledger.run(
      'INSERT INTO processes (id, pid, started, realm, registered_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
      [this.id, identity.pid, identity.started, identity.realm, now()],
    );
  }

  /** A claim owner of this process. `attempt` is random, one per attempt. */
  ownerOf(attempt: string): string {
    return `${this.id}.${attempt}`;
  }

  /**
   * True where the process that a claim's owner belonged to is known to have died: its lease is nobody's any more.
   * False for one of another container, and for one that was swept up after already (its leases have lapsed).
   */
  isDead(owner: string): boolean {
    const { ledger, identity } = this.#parts;
    const row = ledger.get('SELECT * FROM processes WHERE id = ?', [owner.split('.', 1)[0] ?? owner]);
    return row !== undefined && livenessOf(registeredOf(row), identity) === 'dead';
  }

  /**
   * Cleans up after processes that died: their leases lapse, the messages they held become visible and the receive
   * does not count (a power cut, or a person's `kill -9`, dead-letters nothing), their temporary files go. Each such
   * message is a suspect from then on (`EmbeddedQueue`). What a live process holds is never touched, nor what a process of another
   * container holds: that comes back by its lease and visibility.
   */
  async sweepDead(): Promise<SweepReport> {
    const { ledger, temporaries } = this.#parts;
    // Listed first: whoever made one of these files had registered before.
    const names = await onDisk(temporaries, () => readdir(temporaries));
    const swept = ledger.transaction(() => this.#sweepLedger());
    const orphans = names.filter((name) => !swept.remaining.has(ownerOfTemporary(name)));
    for (const name of orphans) await removeIfThere(join(temporaries, name));
    const { processes, leases, messages } = swept;
    return { processes, leases, messages, files: orphans.length };
  }

  /** What the dead process had at work is under suspicion; what was so before, and alone now, more than that. */
  #noteDeath(id: string): void {
    const { ledger } = this.#parts;
    const atWork = ledger.all('SELECT id, deaths FROM messages WHERE holder = ? AND held = 1', [id]);
    for (const message of atWork) {
      const alone = atWork.length === 1 && integer(message, 'deaths') > 0;
      ledger.run('UPDATE messages SET deaths = deaths + 1, lone_deaths = lone_deaths + ? WHERE id = ?', [
        alone ? 1 : 0,
        integer(message, 'id'),
      ]);
    }
  }

  #sweepLedger(): Omit<SweepReport, 'files'> & { readonly remaining: ReadonlySet<string> } {
    const { ledger, identity, now } = this.#parts;
    const at = now();
    const remaining = new Set<string>();
    const counts = { processes: 0, leases: 0, messages: 0 };
    for (const row of ledger.all('SELECT * FROM processes')) {
      const id = text(row, 'id');
      if (id === this.id || livenessOf(registeredOf(row), identity) !== 'dead') {
        remaining.add(id);
        continue;
      }
      counts.processes += 1;
      counts.leases += ledger.run(
        // A lease is over once it lies before now. '/' is the character after '.'.
        `UPDATE claims SET lease_until = ? WHERE state = 'CLAIMED' AND owner >= ? AND owner < ? AND lease_until >= ?`,
        [at - 1, `${id}.`, `${id}/`, at],
      );
      this.#noteDeath(id);
      counts.messages += ledger.run(
        `UPDATE messages SET visible_at = ?, receive_count = receive_count - held, held = 0, holder = NULL
         WHERE holder = ? AND visible_at > ?`,
        [at, id, at],
      );
      ledger.run('DELETE FROM processes WHERE id = ?', [id]);
    }
    return { ...counts, remaining };
  }
}

const registeredOf = (row: LedgerRow): ProcessIdentity => ({
  pid: integer(row, 'pid'),
  started: text(row, 'started'),
  realm: text(row, 'realm'),
});

const removeIfThere = async (path: string): Promise<void> => {
  try {
    await unlink(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
};
