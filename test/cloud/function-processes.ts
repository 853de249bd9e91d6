import { execFileSync } from 'node:child_process';

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

/** Kills them as a lost machine would. @returns how many there were. */
export const killWorkers = (stackPid: number, deployedName: string): number => {
  const pids = workersOf(stackPid, deployedName);
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself in the meantime.
    }
  }
  return pids.length;
};
