import { availableParallelism } from 'node:os';
import { type Command, Option } from 'commander';
import type { BuriedMessage } from '../../lambda/gates/dead-letters.ts';
import { QUEUES, type QueueName } from '../../lambda/gates/queue.ts';
import { type DeadGroup, filterLetters, groupLetters, redrive } from '../../lambda/pipeline/recovery/redrive.ts';
import { allScenes, selectScenes } from '../../lambda/pipeline/recovery/select-scenes.ts';
import { UsageError } from '../exit-code.ts';
import { interruptible } from '../interrupt.ts';
import { DRY_RUN, type EngineFlags, addEngineOptions } from '../operator/engine-options.ts';
import { openOperatorEngine } from '../operator/operator-engine.ts';
import { lettersOf } from '../operator/when-settled.ts';

interface RedriveFlags extends EngineFlags {
  readonly all?: boolean;
  readonly queue?: QueueName;
  readonly error?: string;
  readonly scene?: string;
  readonly dryRun?: boolean;
}

/** `tileonce redrive`: what is with the dead letters and why; all or some of it is sent back. */
export const addRedrive = (program: Command): void => {
  const command = program
    .command('redrive')
    .description('Show the dead letters by what they died of, and send them back')
    .option('--all', 'send all of them back')
    .addOption(new Option('--queue <queue>', 'send those of one queue back').choices(QUEUES))
    .option('--error <text>', 'send those back whose error contains this')
    .option('--scene <scene>', 'send those of one scene back: its name, or the first digits of its id')
    .option(...DRY_RUN);
  addEngineOptions(command).action(async (flags: RedriveFlags) => {
    const { queue, error, scene } = flags;
    const some = queue !== undefined || error !== undefined || scene !== undefined;
    if (some && flags.all === true) {
      throw new UsageError('--all goes with no other choice', { remedy: 'leave --all or the others out' });
    }
    const send = (some || flags.all === true) && flags.dryRun !== true;
    await using engine = await openOperatorEngine(flags, send ? 'change' : 'look');
    const letters = await engine.deadLetters.list();
    if (scene !== undefined && filterLetters(letters, { scene }).length === 0) {
      await engine.deadLetters.putBack(letters);
      // A scene without a dead letter is one thing, no such scene another.
      selectScenes(await allScenes(engine.context.manifest), [scene]);
    }
    const chosen = some ? filterLetters(letters, { queue, error, scene }) : letters;
    tell(groupLetters(chosen), flags, letters.length);
    if (!send || chosen.length === 0) {
      await engine.deadLetters.putBack(letters);
      return;
    }
    const others = letters.filter((letter) => !chosen.includes(letter));
    await engine.deadLetters.putBack(others);
    const replayed = await interruptible(
      (signal) =>
        engine.working(availableParallelism(), signal, () =>
          redrive(engine.context, engine.deadLetters, chosen, some ? 'picked' : 'all', (done) => {
            if (process.stderr.isTTY) process.stderr.write(`\r${done}/${chosen.length} sent back`);
          }),
        ),
      (message) => console.error(message),
    );
    const left = Object.values(await engine.deadLetters.counts()).reduce((sum, count) => sum + count, 0);
    if (flags.json === true) console.log(JSON.stringify({ replayed, left }));
    else console.error(`${process.stderr.isTTY ? '\r' : ''}${replayed} sent back, ${left} dead letter(s) now`);
    // Elsewhere than on a folder nobody waits for what becomes of them.
    if (flags.out === undefined) return;
    const failed = newLetters(await lettersOf(engine), others);
    if (failed.length === 0) return;
    process.exitCode = 1;
    const [group] = groupLetters(failed);
    console.error(`tileonce: ${failed.length} failed again: ${group?.error ?? 'no reason is known'}`);
  });
};

/** Those of `now` beyond `others`, which were left where they were; a job may have more than one letter. */
const newLetters = (now: readonly BuriedMessage[], others: readonly BuriedMessage[]): BuriedMessage[] => {
  const keyOf = ({ queue, body }: BuriedMessage): string => `${queue} ${body}`;
  const known = new Map<string, number>();
  for (const letter of others) known.set(keyOf(letter), (known.get(keyOf(letter)) ?? 0) + 1);
  return now.filter((letter) => {
    const count = known.get(keyOf(letter)) ?? 0;
    known.set(keyOf(letter), count - 1);
    return count <= 0;
  });
};

const tell = (groups: readonly DeadGroup[], flags: RedriveFlags, total: number): void => {
  if (flags.json === true) {
    const told = groups.map(({ queue, error, letters, scenes }) => ({ queue, error, count: letters.length, scenes }));
    console.log(JSON.stringify({ total, groups: told }));
    return;
  }
  if (groups.length === 0) console.log(total === 0 ? 'no dead letters' : 'no dead letter is meant');
  for (const { queue, error, letters, scenes } of groups) {
    const named = scenes.slice(0, 5).join(', ') + (scenes.length > 5 ? ` and ${scenes.length - 5} more` : '');
    console.log(`${letters.length} in ${queue}: ${error ?? "no reason is known (see the function's log)"}`);
    if (named !== '') console.log(`  of ${named}`);
  }
};
