import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';

const countSchema = z.object({ n: z.number() });

const countOf = (out: string, sql: string, ...values: readonly (string | number)[]): number => {
  const database = new DatabaseSync(join(out, '.tileonce', 'ledger.sqlite'), { readOnly: true, timeout: 10_000 });
  try {
    return countSchema.parse(database.prepare(sql).get(...values)).n;
  } finally {
    database.close();
  }
};

/** What an output folder's ledger holds, as a bystander sees it. */
export const ledger = {
  exists: (out: string): boolean => existsSync(join(out, '.tileonce', 'ledger.sqlite')),
  rows: (out: string, scene: string): number =>
    countOf(out, 'SELECT count(*) AS n FROM manifest_rows WHERE scene_job_id = ?', scene),
  deadLetters: (out: string): number => countOf(out, 'SELECT count(*) AS n FROM dead_letters'),
  messages: (out: string): number => countOf(out, 'SELECT count(*) AS n FROM messages'),
  heldMessages: (out: string): number => countOf(out, 'SELECT count(*) AS n FROM messages WHERE held = 1'),
  claimed: (out: string): number => countOf(out, "SELECT count(*) AS n FROM claims WHERE state = 'CLAIMED'"),
  liveLeases: (out: string): number =>
    countOf(out, "SELECT count(*) AS n FROM claims WHERE state = 'CLAIMED' AND lease_until >= ?", Date.now()),
};
