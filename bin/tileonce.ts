#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { SOFTWARE_VERSION } from '../lambda/local/version.ts';
import { addDemo } from './commands/demo.ts';
import { addPipelines } from './commands/pipelines.ts';
import { addRun } from './commands/run.ts';
import { exitCodeOf } from './exit-code.ts';

const program = new Command('tileonce')
  .description(
    'Satellite scenes in; Cloud Optimized GeoTIFF tiles, a mosaic and a STAC item out: exactly once in effect.',
  )
  .version(SOFTWARE_VERSION)
  .showHelpAfterError('(tileonce --help lists the commands)')
  .exitOverride();
addRun(program);
addDemo(program);
addPipelines(program);

try {
  await program.parseAsync();
} catch (error) {
  // commander has printed what was wrong with the call, or the help that was asked for.
  process.exitCode = error instanceof CommanderError ? (error.exitCode === 0 ? 0 : 2) : exitCodeOf(error);
}
