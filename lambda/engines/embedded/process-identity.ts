import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { sha256Hex } from '../../identity/sha256.ts';
import { errnoOf } from './errno.ts';

/** Names one run of one process for good: a pid alone is used again. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, as the system spells it. */
  readonly started: string;
  /** Where the pid means anything: this boot of this machine, and this container. */
  readonly realm: string;
}

/** `unknown`: another container's process, which cannot be seen from here. */
export type Liveness = 'alive' | 'dead' | 'unknown';

const onLinux = process.platform === 'linux';

/** This process; its worker threads share it. */
export const ownIdentity = (): ProcessIdentity => ({
  pid: process.pid,
  started: startOf(process.pid) ?? 'unknown',
  realm: onLinux ? `${bootId()} ${pidNamespace()}` : hostname(),
});

/** A short name for file names and owners: letters, digits and one underscore. */
export const processIdOf = (identity: ProcessIdentity): string =>
  `${identity.pid}_${sha256Hex(`${identity.realm}\n${identity.started}`).slice(0, 16)}`;

/** Whether a registered process still runs, judged by pid and start time. */
export const livenessOf = (registered: ProcessIdentity, own: ProcessIdentity): Liveness => {
  if (registered.realm !== own.realm) return sameBoot(registered.realm, own.realm) ? 'unknown' : 'dead';
  const started = startOf(registered.pid);
  if (started !== null) return started === registered.started ? 'alive' : 'dead';
  return answersSignals(registered.pid) ? 'unknown' : 'dead';
};

/** A realm starts with the boot; the same boot with another pid namespace is another container of this machine. */
const sameBoot = (a: string, b: string): boolean => a.split(' ', 1)[0] === b.split(' ', 1)[0];

/** When the process started; null where there is no such process, or it is a zombie that only waits to be reaped. */
const startOf = (pid: number): string | null => (onLinux ? startOnLinux(pid) : startByPs(pid));

const startOnLinux = (pid: number): string | null => {
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // proc_pid_stat(5): field 2 is the name in brackets and may hold anything; field 3 is the state, field 22 the start.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
};

const startByPs = (pid: number): string | null => {
  try {
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    const out = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { env, encoding: 'utf8', stdio: 'pipe' });
    return out.trim() === '' ? null : out.trim();
  } catch {
    return null;
  }
};

/** With /proc mounted hidepid, other users' processes cannot be seen, but they can be knocked at. */
const answersSignals = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return onLinux ? readIfThere(`/proc/${pid}/stat`) === null : true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
};

const bootId = (): string => readIfThere('/proc/sys/kernel/random/boot_id')?.trim() ?? hostname();

const pidNamespace = (): string => {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return 'unknown';
  }
};

const readIfThere = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
};
