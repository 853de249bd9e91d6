import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';

/** Process ids of the emulator's workers of one function: `ps` shows each with the folder that its code was put in. */
export const workersOf = (stackPid: number, deployedName: string): number[] =>
  execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => {
      const [pid, parent, ...args] = line.trim().split(/\s+/u);
      return Number(parent) === stackPid && args.join(' ').includes(`ministack-lambda-${deployedName}-`)
        ? [Number(pid)]
        : [];
    });

const NETWORK_TABLE = '/proc/net/tcp';

/** The one that has a connection from this port; null where that cannot be found out on this machine. */
const workerAt = (pids: readonly number[], port: number): number | null => {
  if (!existsSync(NETWORK_TABLE)) return null;
  const at = port.toString(16).toUpperCase().padStart(4, '0');
  // A line: number, own address, other's address, state, and, seven further, the socket's inode.
  const inodes = readFileSync(NETWORK_TABLE, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/u))
    .flatMap(([, own, , , , , , , , inode]) => (own?.endsWith(`:${at}`) === true ? [`socket:[${inode}]`] : []));
  const holds = (pid: number): boolean => {
    try {
      const folder = `/proc/${pid}/fd`;
      return readdirSync(folder).some((name) => inodes.includes(readlinkSync(`${folder}/${name}`)));
    } catch {
      // It, or one of its files, was closed in the meantime.
      return false;
    }
  };
  return pids.find(holds) ?? null;
};

/**
 * Kills them as a lost machine would.
 *
 * @param port only the one that calls from it, where that can be found out
 * @returns how many there were.
 */
export const killWorkers = (stackPid: number, deployedName: string, port?: number): number => {
  const all = workersOf(stackPid, deployedName);
  const one = port === undefined ? null : workerAt(all, port);
  const pids = one === null ? all : [one];
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself in the meantime.
    }
  }
  return pids.length;
};
