import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';

/** The real command, as a user starts it. */
const COMMAND = join(process.cwd(), 'bin', 'tileonce.ts');

const reportSchema = z.strictObject({
  scene: z.string().regex(/^[0-9a-f]{64}$/),
  windows: z.number(),
  written: z.number(),
  alreadyPresent: z.number(),
  empty: z.number(),
  claimsRefused: z.number(),
  mosaic: z.string().nullable(),
  item: z.string(),
  seconds: z.number(),
});
/** What `run --json` says of one scene. */
export type Report = z.output<typeof reportSchema>;

export interface CommandEnd {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** From start to end, ms. */
  readonly ms: number;
}

export interface RunningCommand {
  readonly pid: number;
  readonly ended: Promise<CommandEnd>;
  readonly running: () => boolean;
  readonly kill: (signal: NodeJS.Signals) => void;
}

export interface CommandOptions {
  readonly cwd?: string;
  /** Over the environment of the tests. */
  readonly env?: Readonly<Record<string, string>>;
  /** Options of node itself. */
  readonly node?: readonly string[];
  /** Runs it as this user and group. */
  readonly user?: number;
}

/** What starts the command, for those who start it by other means: program and arguments. */
export const commandLine = (
  args: readonly string[],
  node: readonly string[] = [],
): readonly [program: string, ...args: string[]] => [process.execPath, ...node, COMMAND, ...args];

export const start = (args: readonly string[], options: CommandOptions = {}): RunningCommand => {
  const [program, ...rest] = commandLine(args, options.node);
  return watch(
    spawn(program, rest, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...options.env },
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...(options.user === undefined ? {} : { uid: options.user, gid: options.user }),
    }),
  );
};

/** Runs the command to its end. */
export const tileonce = (args: readonly string[], options: CommandOptions = {}): Promise<CommandEnd> =>
  start(args, options).ended;

/** Collects what a process says until it has ended. */
export const watch = (child: ChildProcess): RunningCommand => {
  const started = performance.now();
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => (said[stream] += text));
  }
  let running = true;
  const ended = new Promise<CommandEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      running = false;
      resolve({ code, ...said, ms: performance.now() - started });
    });
  });
  return { pid: child.pid ?? 0, ended, running: () => running, kill: (signal) => child.kill(signal) };
};

/** The JSON lines on stdout of the scenes that were done; anything but a line a scene is an error. */
export const reportsOf = ({ stdout }: CommandEnd): Report[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line))
    .filter((line) => !failureSchema.safeParse(line).success)
    .map((line) => reportSchema.parse(line));

/** What a scene's line holds instead where it failed. */
const failureSchema = z.strictObject({ name: z.string(), error: z.string() });

/** The errors on stdout of the scenes that failed. */
export const failuresOf = ({ stdout }: CommandEnd): string[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const failure = failureSchema.safeParse(JSON.parse(line));
      return failure.success ? [failure.data.error] : [];
    });

/** The one scene's report of a run that must have succeeded. */
export const reportOf = (end: CommandEnd): Report => {
  const [report, ...others] = reportsOf(end);
  if (end.code !== 0 || report === undefined || others.length > 0) {
    throw new Error(`no run of one scene: exit ${end.code}\n${end.stdout}${end.stderr}`);
  }
  return report;
};

/** Waits for something that another process does. */
export const until = async (what: string, condition: () => boolean, ms = 60_000): Promise<void> => {
  const deadline = performance.now() + ms;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`${what}: not in ${ms} ms`);
    await pause(2);
  }
};
