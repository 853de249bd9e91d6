import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, open } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pythonEnvironment } from '../support/python-environment.ts';

/** The version that the tests were written against. */
const VERSION = '1.5.33';
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 5_000;

/** What clients read from the environment to reach it: any credentials do; the account is the emulator's own. */
export const cloudEnvironment = {
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_REGION: 'eu-central-1',
} as const;

/** A running emulator of S3, DynamoDB, SQS and all that a deployment needs, with empty state. */
export interface MiniStack {
  /** `http://127.0.0.1:port` */
  readonly endpoint: string;
  readonly port: number;
  readonly pid: number;
  /** Where its log is written, for when a test fails. */
  readonly log: string;
  stop(): Promise<void>;
}

/** Added to the process's own environment; the port is known only then. */
export type StackEnvironment = (port: number) => Readonly<Record<string, string>>;

/**
 * Starts MiniStack on a free port, from a virtual environment under the system's temporary folder that is made on the
 * first use and kept. Resolves when it is healthy.
 *
 * @param environment functions that it runs take `node` from its PATH, and the endpoint that they call from AWS_ENDPOINT_URL.
 * @throws Error where it cannot be installed or does not come up; the log's place is in the message.
 */
export const startMiniStack = async (environment: StackEnvironment = () => ({})): Promise<MiniStack> => {
  const python = await pythonEnvironment(`ministack==${VERSION}`);
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'tileonce-ministack-run-'));
  const log = join(folder, 'ministack.log');
  const output = await open(log, 'w');
  const child = spawn(python, ['-m', 'ministack'], {
    cwd: folder,
    env: {
      ...process.env,
      ...environment(port),
      GATEWAY_PORT: String(port),
      BIND_HOST: '127.0.0.1',
      TMPDIR: folder,
      PERSIST_STATE: '0',
    },
    stdio: ['ignore', output.fd, output.fd],
  });
  await output.close();
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const stop = async (): Promise<void> => {
    process.off('exit', kill);
    await end(child);
    removeLater(folder);
  };
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    await healthy(child, endpoint);
  } catch (error) {
    await end(child);
    throw new Error(`MiniStack did not start, see ${log}`, { cause: error });
  }
  return { endpoint, port, pid: child.pid ?? 0, log, stop };
};

/** A worker's code is thousands of files, and every worker that ever was has its own: nobody waits for their removal. */
const removeLater = (folder: string): void => {
  const remove = "require('node:fs').rmSync(process.argv[1], { recursive: true, force: true })";
  spawn(process.execPath, ['-e', remove, folder], { detached: true, stdio: 'ignore' }).unref();
};

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const healthy = async (child: ChildProcess, endpoint: string): Promise<void> => {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (child.exitCode === null && Date.now() < deadline) {
    const answer = await fetch(`${endpoint}/_ministack/health`).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.ok === true) return;
    await pause(100);
  }
  throw new Error(child.exitCode === null ? 'it was not healthy in time' : `it ended with ${child.exitCode}`);
};

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
};
