import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { TileonceError } from '../../lambda/errors.ts';
import { findScenes } from '../../lambda/local/find-scenes.ts';
import { remoteStores } from '../../lambda/local/remote-sources.ts';
import { parsePrices, pricesOf, type Prices } from '../../lambda/pipeline/cost/prices.ts';
import { MAX_CONCURRENCY, MEMORY_MB, SCRATCH_MB } from '../../lib/pipeline-props.ts';
import { costTable } from '../cost-table.ts';
import { interruptible } from '../interrupt.ts';
import { type PipelineOptions, addPipelineOptions, choosePipeline } from '../pipeline-options.ts';
import { type RemoteFlags, addRemoteOptions, remoteOptionsOf } from '../remote-options.ts';

interface CostCommandOptions extends PipelineOptions, RemoteFlags {
  readonly scene: string;
  readonly region: string;
  readonly prices?: string;
  readonly samples: number;
  readonly windowMs?: number;
  readonly assemblyMs?: number;
  readonly latencyMs: number;
  readonly memory: number;
  readonly concurrency: number;
  readonly json?: boolean;
}

/** Windows that are computed to see what they take, and what a request to S3 or DynamoDB is waited for, ms. */
const SAMPLES = 5;
const LATENCY_MS = 25;

const from =
  (least: number) =>
  (text: string): number => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isFinite(value) || value < least) {
      throw new InvalidArgumentError(`a number from ${least} up is wanted.`);
    }
    return value;
  };

const wholeFrom =
  (least: number) =>
  (text: string): number => {
    const value = from(least)(text);
    if (!Number.isInteger(value)) throw new InvalidArgumentError(`a whole number from ${least} up is wanted.`);
    return value;
  };

/** `tileonce cost`: what a scene would cost on AWS, line by line. */
export const addCost = (program: Command): void => {
  const command = program
    .command('cost')
    .description('Compute what a scene costs on AWS, from its headers and a few of its windows; writes nothing')
    .requiredOption('-s, --scene <file>', "a band's file, s3://bucket/key or https:// URL")
    .option('--region <name>', 'whose list prices', 'us-east-1')
    .option('--prices <file>', 'prices of your own, instead of a region (docs/cost.md has the fields)')
    .option('--samples <n>', 'windows that are computed to be measured', wholeFrom(1), SAMPLES)
    .option('--window-ms <ms>', "one window's time without waiting, instead of the one measured here", from(0))
    .option('--assembly-ms <ms>', "the assembly's time, instead of an estimate", from(0))
    .option('--latency-ms <ms>', 'what a request to S3 or DynamoDB is waited for', from(0), LATENCY_MS)
    .option('--memory <mb>', "the window function's memory, MB", wholeFrom(128), MEMORY_MB.tile)
    .option('--concurrency <n>', 'windows at work at once', wholeFrom(1), MAX_CONCURRENCY)
    .option('--json', 'one JSON object on stdout');
  addRemoteOptions(addPipelineOptions(command)).action(async (options: CostCommandOptions) => {
    const remote = remoteOptionsOf(options);
    const pipeline = await choosePipeline(options);
    const prices = await pricesFor(options);
    const { listKeys } = remoteStores(remote, () => undefined);
    const requests = await findScenes(pipeline, [options.scene], listKeys);
    const [request] = requests;
    if (request === undefined || requests.length > 1) {
      throw new TileonceError(`${options.scene} holds ${requests.length} scenes`, { remedy: 'name a file of one' });
    }
    // Loaded only now: it brings the AWS SDK along, which no other command should wait for.
    const { costOfScene } = await import('../../lambda/local/cost-scene.ts');
    const cost = await interruptible(
      (signal) =>
        costOfScene(
          request,
          {
            remote,
            prices,
            setup: {
              memoryMb: { ...MEMORY_MB, tile: options.memory },
              scratchMb: SCRATCH_MB,
              concurrency: options.concurrency,
            },
            samples: options.samples,
            windowMs: options.windowMs ?? null,
            assemblyMs: options.assemblyMs ?? null,
            latencyMs: options.latencyMs,
          },
          signal,
        ),
      (message) => console.error(message),
    );
    const { label, sample, quantities, bill } = cost;
    console.log(
      options.json === true
        ? JSON.stringify({
            scene: label,
            prices: { region: prices.region, asOf: prices.asOf },
            ...bill,
            quantities,
            sample,
          })
        : costTable(cost, prices),
    );
  });
};

const pricesFor = async ({ region, prices }: CostCommandOptions): Promise<Prices> => {
  if (prices === undefined) return pricesOf(region);
  const text = await readFile(prices, 'utf8').catch((cause: unknown) => {
    throw new TileonceError(`the prices ${prices} cannot be read`, { remedy: 'name a file that can', cause });
  });
  return parsePrices(text, prices);
};
