/** Raised by any change to the tables; a ledger of a later version is refused, never guessed at. */
export const LEDGER_VERSION = 3;

/**
 * The ledger's tables. Times are ms since the epoch unless said otherwise.
 *
 * messages: `held` is 1 while the last receiver (`holder`, a process id) may still be at work, 0 once it gave the
 * message back with a reason. `deliveries` only grows, so that `id.deliveries` names one delivery for good, while
 * `receive_count` may be set back for a receiver that died. `fingerprint` is the body's SHA-256.
 *
 * `deaths` counts the processes that died with the message at work, `lone_deaths` those that had nothing else at work.
 *
 * file_hashes: one row per inode. Device, inode and the two times (ns) are decimal text: they outgrow a double.
 */
export const SCHEMA = `
CREATE TABLE claims (
  job_id TEXT PRIMARY KEY, state TEXT NOT NULL, owner TEXT NOT NULL, lease_until INTEGER NOT NULL,
  claimed_at INTEGER NOT NULL, finished_at INTEGER, attempts INTEGER NOT NULL, result TEXT, expires_at INTEGER,
  last_error TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX claims_by_owner ON claims (owner) WHERE state = 'CLAIMED';

CREATE TABLE plans (
  scene_job_id TEXT PRIMARY KEY, plan TEXT NOT NULL, window_count INTEGER NOT NULL, state TEXT NOT NULL, reason TEXT,
  next_heal_at INTEGER NOT NULL, heals INTEGER NOT NULL DEFAULT 0, rows_at_heal INTEGER NOT NULL DEFAULT -1,
  location TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX plans_unfinished ON plans (state) WHERE state IN ('OPEN', 'FAILED');

CREATE TABLE manifest_rows (
  scene_job_id TEXT NOT NULL, window TEXT NOT NULL, state TEXT NOT NULL, key TEXT, bytes INTEGER, etag TEXT,
  sha256 TEXT, digest TEXT, valid_pixels INTEGER, statistics TEXT,
  PRIMARY KEY (scene_job_id, window)
) STRICT, WITHOUT ROWID;

CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT NOT NULL, body TEXT NOT NULL, fingerprint TEXT NOT NULL,
  visible_at INTEGER NOT NULL, receive_count INTEGER NOT NULL DEFAULT 0, deliveries INTEGER NOT NULL DEFAULT 0,
  holder TEXT, held INTEGER NOT NULL DEFAULT 0, reason TEXT,
  deaths INTEGER NOT NULL DEFAULT 0, lone_deaths INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX messages_in_order ON messages (queue, id);
CREATE INDEX messages_by_body ON messages (queue, fingerprint);
CREATE INDEX messages_suspect ON messages (queue, id) WHERE deaths > 0;

CREATE TABLE dead_letters (
  id INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT NOT NULL, body TEXT NOT NULL, fingerprint TEXT NOT NULL,
  receive_count INTEGER NOT NULL, reason TEXT, died_at INTEGER NOT NULL
) STRICT;

CREATE TABLE file_hashes (
  device TEXT NOT NULL, inode TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns TEXT NOT NULL, ctime_ns TEXT NOT NULL,
  sha256 TEXT NOT NULL, PRIMARY KEY (device, inode)
) STRICT, WITHOUT ROWID;

CREATE TABLE processes (
  id TEXT PRIMARY KEY, pid INTEGER NOT NULL, started TEXT NOT NULL, realm TEXT NOT NULL, registered_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

/** What turns a ledger of each earlier version into the next one. */
export const MIGRATIONS: readonly string[] = [
  // 1 → 2: what the reaper saw, and where a scene's sources lie.
  `ALTER TABLE plans ADD COLUMN heals INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE plans ADD COLUMN rows_at_heal INTEGER NOT NULL DEFAULT -1;
   ALTER TABLE plans ADD COLUMN location TEXT NOT NULL DEFAULT '';`,
  // 2 → 3: what a job's last attempt failed of; the plans that the reaper looks at; whom processes died with.
  `ALTER TABLE claims ADD COLUMN last_error TEXT;
   CREATE INDEX plans_unfinished ON plans (state) WHERE state IN ('OPEN', 'FAILED');
   ALTER TABLE messages ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE messages ADD COLUMN lone_deaths INTEGER NOT NULL DEFAULT 0;
   CREATE INDEX messages_suspect ON messages (queue, id) WHERE deaths > 0;`,
];
