import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { Cost } from './measured.ts';

/** A peer that stays one process: each round is asked for when it is its turn, so that start-up is not counted. */
export interface PeerProcess extends AsyncDisposable {
  round(): Promise<Cost>;
}

const costSchema = z.object({ wall: z.number(), cpu: z.number(), bytes: z.number() });

/** Starts `peers/<name>.py` with its job as JSON. @throws Error by `round` where the peer ends early. */
export const startPeer = (name: string, job: unknown): PeerProcess => {
  const program = fileURLToPath(new URL(`peers/${name}.py`, import.meta.url));
  const child = spawn('/usr/bin/python3', ['-W', 'ignore', program, JSON.stringify(job)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    async round() {
      child.stdin.write('\n');
      const { done, value } = await lines.next();
      if (done === true) throw new Error(`the peer ${name} ended early`);
      return costSchema.parse(JSON.parse(value));
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
};
