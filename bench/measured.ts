import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

/** What a piece of work cost. */
export interface Cost {
  /** s. */
  readonly wall: number;
  /** User and system time of all its threads and children, s. */
  readonly cpu: number;
  /** Bytes that it left behind, where that is told. */
  readonly bytes?: number;
  /** The part of `cpu` that the measuring thread itself used, s, where that is told. */
  readonly ownThread?: number;
}

/** What a command cost. */
export interface CommandCost extends Cost {
  /** The highest resident set of any one of its processes, bytes. */
  readonly peakBytes: number;
  readonly stdout: string;
}

const MEASURED = fileURLToPath(new URL('peers/measured.py', import.meta.url));
const costSchema = z.object({ wall: z.number(), cpu: z.number(), peakBytes: z.number() });

/**
 * Runs a command to its end, with what it and its children cost.
 *
 * @throws Error with the command's own words where it fails.
 */
export const measureCommand = async (command: string, args: readonly string[]): Promise<CommandCost> => {
  const { code, stdout, stderr } = await runToEnd('/usr/bin/python3', [MEASURED, command, ...args]);
  const lines = stderr.trimEnd().split('\n');
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed (${code}):\n${lines.slice(0, -1).join('\n')}`);
  return { ...costSchema.parse(JSON.parse(lines.at(-1) ?? '')), stdout };
};

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const runToEnd = (command: string, args: readonly string[]): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });

/** Runs work in this process, with what it cost; all threads of the process count. */
export const measureHere = async (
  work: () => Promise<number | undefined>,
): Promise<Cost & { readonly ownThread: number }> => {
  const before = process.cpuUsage();
  const threadBefore = process.threadCpuUsage();
  const started = performance.now();
  const bytes = await work();
  const wall = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(before);
  const thread = process.threadCpuUsage(threadBefore);
  const ownThread = (thread.user + thread.system) / 1e6;
  return { wall, cpu: (user + system) / 1e6, ownThread, ...(bytes === undefined ? {} : { bytes }) };
};

/** Several commands one after another as one piece of work. */
export const sumOfCosts = (costs: readonly Cost[]): Cost => ({
  wall: costs.reduce((sum, { wall }) => sum + wall, 0),
  cpu: costs.reduce((sum, { cpu }) => sum + cpu, 0),
});
