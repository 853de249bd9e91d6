import type { Command } from 'commander';
import { BUILTIN_PIPELINES } from '../../lambda/pipeline/definition/builtin.ts';

/** `tileonce pipelines`: what --pipeline NAME may be. */
export const addPipelines = (program: Command): void => {
  program
    .command('pipelines')
    .description('List the built-in pipelines')
    .action(() => {
      const width = Math.max(...BUILTIN_PIPELINES.map(({ name }) => name.length));
      for (const { name, description } of BUILTIN_PIPELINES) console.log(`${name.padEnd(width)}  ${description}`);
    });
};
