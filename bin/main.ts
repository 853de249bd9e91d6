import { Command, CommanderError } from 'commander';
import { SOFTWARE_VERSION } from '../lambda/version.ts';
import { addCost } from './commands/cost.ts';
import { addBackfill } from './commands/backfill.ts';
import { addDemo } from './commands/demo.ts';
import { addFind } from './commands/find.ts';
import { addGc } from './commands/gc.ts';
import { addList } from './commands/list.ts';
import { addPipelines } from './commands/pipelines.ts';
import { addPurge } from './commands/purge.ts';
import { addRedrive } from './commands/redrive.ts';
import { addRun } from './commands/run.ts';
import { addStatus } from './commands/status.ts';
import { addVerify } from './commands/verify.ts';
import { EXIT_USAGE, exitCodeOf } from './exit-code.ts';

/** Reads the command line, does what it says, and sets the exit code. A fault of the call is one line on stderr. */
export const main = async (): Promise<void> => {
  const program = new Command('tileonce')
    .description(
      'Satellite scenes in; Cloud Optimized GeoTIFF tiles, a mosaic and a STAC item out: exactly once in effect.',
    )
    .version(SOFTWARE_VERSION)
    .configureOutput({
      outputError: (text, write) => {
        const fault = text
          .trim()
          .replace(/^error: /, '')
          .replaceAll(/\s*\n\s*/g, ' ');
        write(`tileonce: ${fault} (--help lists commands and options)\n`);
      },
    })
    .exitOverride();
  addRun(program);
  addDemo(program);
  addPipelines(program);
  for (const add of [addStatus, addList, addFind, addRedrive, addBackfill, addVerify, addPurge, addGc]) add(program);
  addCost(program);
  try {
    await program.parseAsync();
  } catch (error) {
    // commander has printed what was wrong with the call, or the help that was asked for.
    process.exitCode = error instanceof CommanderError ? (error.exitCode === 0 ? 0 : EXIT_USAGE) : exitCodeOf(error);
  }
};
