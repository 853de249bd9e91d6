import { type Command, InvalidArgumentError } from 'commander';
import { type GarbageReport, collectGarbage } from '../../lambda/pipeline/recovery/collect-garbage.ts';
import { DRY_RUN, type EngineFlags, addEngineOptions } from '../operator/engine-options.ts';
import { GarbageTotal } from '../operator/garbage-total.ts';
import { openOperatorEngine } from '../operator/operator-engine.ts';

const DAY_MS = 24 * 3_600_000;

const days = (text: string): number => {
  const value = Number(text);
  if (!Number.isFinite(value) || value < 1) throw new InvalidArgumentError('a number of days from 1 up is wanted.');
  return value;
};

/** `tileonce gc`: removes objects that no ledger row owns. */
export const addGc = (program: Command): void => {
  const command = program
    .command('gc')
    .description('List objects that no ledger row owns, then remove those that are old')
    .option(
      '--older-than <days>',
      'only what was written longer ago (default: 1; on AWS 19, as long as messages live)',
      days,
    )
    .option('--unknown-scenes', 'finished scenes that the ledger does not know (it was lost, say) are garbage too')
    .option(...DRY_RUN);
  addEngineOptions(command).action(
    async (
      flags: EngineFlags & { readonly olderThan?: number; readonly unknownScenes?: boolean; readonly dryRun?: boolean },
    ) => {
      await using engine = await openOperatorEngine(flags, flags.dryRun === true ? 'look' : 'change');
      const total = new GarbageTotal();
      const report = await collectGarbage(engine.context, {
        olderThanMs: flags.olderThan === undefined ? engine.strayAgeMs : flags.olderThan * DAY_MS,
        dryRun: flags.dryRun === true,
        unknownScenes: flags.unknownScenes === true,
        onStray: ({ key, bytes, modifiedAt }, what) => {
          total.add(what, bytes);
          const modified = new Date(modifiedAt).toISOString();
          if (flags.json !== true) console.log(`${what}: ${engine.placeOf(key)} (${bytes} bytes, ${modified})`);
        },
      });
      if (flags.json === true) console.log(JSON.stringify(report));
      else {
        if (report.unknown > 0) console.error(sparedLine(report));
        if (report.foreign > 0) console.error(foreignLine(report));
        console.error(total.line);
      }
    },
  );
};

const foreignLine = ({ foreign }: GarbageReport): string =>
  `${foreign} objects were not written by tileonce (foreign) and are never removed: move them away`;

const sparedLine = ({ unknown, unknownScenes }: GarbageReport): string =>
  `${unknown} objects of ${unknownScenes} finished scenes that the ledger does not know are left: ` +
  'run them again, or remove them with --unknown-scenes';
