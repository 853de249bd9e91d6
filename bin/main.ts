import { Command, CommanderError } from 'commander';
import { SOFTWARE_VERSION } from '../lambda/version.ts';
import { EXIT_USAGE, exitCodeOf } from './exit-code.ts';

type AddCommand = (program: Command) => void;

/** In the order of the help. Each is loaded when it is named: together they are most of a short command's time. */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  run: async () => (await import('./commands/run.ts')).addRun,
  demo: async () => (await import('./commands/demo.ts')).addDemo,
  pipelines: async () => (await import('./commands/pipelines.ts')).addPipelines,
  status: async () => (await import('./commands/status.ts')).addStatus,
  list: async () => (await import('./commands/list.ts')).addList,
  find: async () => (await import('./commands/find.ts')).addFind,
  redrive: async () => (await import('./commands/redrive.ts')).addRedrive,
  backfill: async () => (await import('./commands/backfill.ts')).addBackfill,
  verify: async () => (await import('./commands/verify.ts')).addVerify,
  purge: async () => (await import('./commands/purge.ts')).addPurge,
  gc: async () => (await import('./commands/gc.ts')).addGc,
  cost: async () => (await import('./commands/cost.ts')).addCost,
};

/** The command that is named first, or all of them: for the help, and to say what is nearest to a wrong name. */
const commandsFor = (name = ''): Promise<AddCommand[]> =>
  Promise.all(
    Object.entries(COMMANDS).flatMap(([known, load]) =>
      Object.hasOwn(COMMANDS, name) && known !== name ? [] : load(),
    ),
  );

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
  for (const add of await commandsFor(process.argv[2])) add(program);
  try {
    await program.parseAsync();
  } catch (error) {
    // commander has printed what was wrong with the call, or the help that was asked for.
    process.exitCode = error instanceof CommanderError ? (error.exitCode === 0 ? 0 : EXIT_USAGE) : exitCodeOf(error);
  }
};
