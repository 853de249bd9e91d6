import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { SourceError, TileonceError } from '../../../lambda/errors.ts';
import type { FloatPixels } from '../../../lambda/raster/types.ts';
import { openSource } from '../../../lambda/raster/source/open-source.ts';
import { seeded } from '../../local/random.ts';
import { BytesReader } from '../../support/bytes-reader.ts';
import { describeWith, SHARED_DATA } from '../../support/requirements.ts';
import { buildTiff, GEOREFERENCE, imageTags, long, short } from '../../support/tiff-builder.ts';
import { countingAllocations } from './allocations.ts';
import { mutateBlocks, mutateHeader } from './mutations.ts';
import type { Choose } from './mutations.ts';
import { FUZZED, readAll } from './read-all.ts';
import { SMALL_TIFFS } from './small-tiffs.ts';
import type { SmallTiff } from './small-tiffs.ts';

/** How many mutations of each kind are tried; a failing one replays with FUZZ_FIRST=seed FUZZ_SEEDS=1. */
const SEEDS = Number(process.env['FUZZ_SEEDS'] ?? 200);
const FIRST = Number(process.env['FUZZ_FIRST'] ?? 0);
/** At once, bytes: the largest block that is read. And in all, for a file of a few kilobytes. */
const MOST_AT_ONCE = 256 * 1024 * 1024;
const MOST_IN_ALL = 2048 * 1024 * 1024;

jest.setTimeout(60_000 + SEEDS * 200);

type Outcome = { readonly pixels: readonly FloatPixels[] } | { readonly refusal: string };

/** Pixels, or a refusal that names the file. @throws whatever else comes out, or what is beyond a bound */
async function outcomeOf(bytes: Uint8Array<ArrayBuffer>, whole = true): Promise<Outcome> {
  let outcome: Outcome = { refusal: '' };
  const { total } = await countingAllocations(MOST_AT_ONCE, async () => {
    try {
      outcome = { pixels: await readAll(bytes, whole) };
    } catch (error) {
      if (!(error instanceof TileonceError)) throw error;
      if (error instanceof SourceError && !error.message.startsWith(FUZZED)) throw error;
      outcome = { refusal: error.oneLine };
    }
  });
  if (total > MOST_IN_ALL) throw new RangeError(`asked for ${total} bytes in all`);
  return outcome;
}

/** Tries seeds; says of each failing one what it was and how to replay it. */
async function failures(
  files: readonly SmallTiff[],
  mutate: (file: SmallTiff, choose: Choose) => Uint8Array<ArrayBuffer>,
  judge: (file: SmallTiff, outcome: Outcome) => Promise<string | null>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const file = files[seed % files.length];
    if (file === undefined) continue;
    const random = seeded(seed);
    let problem: string | null;
    try {
      problem = await judge(
        file,
        await outcomeOf(
          mutate(file, (count) => Math.floor(random() * count)),
          seed % 5 === 0,
        ),
      );
    } catch (error) {
      problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
    }
    if (problem !== null) found.push(`FUZZ_FIRST=${seed} FUZZ_SEEDS=1 (${file.title}): ${problem}`);
  }
  return found;
}

const samePixels = (a: readonly FloatPixels[], b: readonly FloatPixels[]): boolean =>
  a.length === b.length &&
  a.every((pixels, index) => {
    const other = b[index];
    return other?.length === pixels.length && pixels.every((value, at) => Object.is(value, other[at]));
  });

describe('A mutated file', () => {
  it('is sound before it is mutated', async () => {
    for (const { bytes, title } of SMALL_TIFFS) {
      const outcome = await outcomeOf(bytes);
      expect({ title, ...('refusal' in outcome && outcome) }).toEqual({ title });
    }
  });

  it('gives pixels or a refusal that names it, in bounded time and memory, whatever its directories say', async () => {
    expect(await failures(SMALL_TIFFS, mutateHeader, () => Promise.resolve(null))).toEqual([]);
  });

  it('never gives other pixels than its own where its codec carries a checksum', async () => {
    const sound = new Map<string, readonly FloatPixels[]>();
    for (const { title, bytes } of SMALL_TIFFS) sound.set(title, await readAll(bytes));
    const judge = async ({ title, checked }: SmallTiff, outcome: Outcome): Promise<string | null> => {
      const same = 'refusal' in outcome || samePixels(outcome.pixels, sound.get(title) ?? []);
      return checked && !same ? 'other pixels' : null;
    };
    expect(await failures(SMALL_TIFFS, mutateBlocks, judge)).toEqual([]);
  });
});

/** Real files of what is not made here: their first kilobytes are taken for the directories. */
const REAL = [
  'alpha_cog.tif',
  'be_rgbi_uint16_zstd.tif',
  'bigtiff_webp_naip_rgba.tif',
  'internal_mask_overviews.tif',
  'jpeg_ycbcr_subsampled.tif',
  'lerc_cog_dem.tif',
  'subifds.tif',
];

describeWith(['shared data'], 'A mutated real file', () => {
  it('gives pixels or a refusal that names it, in bounded time and memory', async () => {
    const files = REAL.map((title): SmallTiff => {
      const bytes = new Uint8Array(readFileSync(join(SHARED_DATA, 'odd', title)));
      return { title, bytes, blocksAt: Math.min(4096, bytes.length - 1), checked: false };
    });
    const either = (file: SmallTiff, choose: Choose): Uint8Array<ArrayBuffer> =>
      (choose(2) === 0 ? mutateHeader : mutateBlocks)(file, choose);
    expect(await failures(files, either, () => Promise.resolve(null))).toEqual([]);
  });
});

describe('What the fuzzer looks for', () => {
  it('is found where it is: memory without a bound', async () => {
    const greedy = countingAllocations(1000, async () => void new Float64Array(1000));
    await expect(greedy).rejects.toThrow('asked for 8000 bytes at once');
  });

  it('is found where it is: other pixels, where no checksum notices a changed block', async () => {
    const raw = SMALL_TIFFS.find(({ title }) => title.startsWith('raw strips of three'));
    if (raw === undefined) throw new Error('no raw file');
    const random = seeded(1);
    const mutated = await readAll(mutateBlocks(raw, (count) => Math.floor(random() * count)));
    expect(samePixels(mutated, await readAll(raw.bytes))).toBe(false);
  });
});

describe('A file that claims too much', () => {
  const open = (bytes: Uint8Array<ArrayBuffer>) => openSource(new BytesReader(FUZZED, bytes));

  it('is refused for absurd dimensions before anything of that size is allocated', async () => {
    const side = 2 ** 31 - 1;
    const tags = { ...imageTags(side, side, 8), ...GEOREFERENCE, 278: long(1) };
    const { largest } = await countingAllocations(MOST_AT_ONCE, async () => {
      const bytes = buildTiff([{ tags, blocks: [new Uint8Array(8)] }]);
      await expect(open(bytes)).rejects.toThrow(`${FUZZED}: has blocks of ${side} x 1 px`);
      const tiled = { ...tags, 322: short(256), 323: short(256) };
      const source = await open(buildTiff([{ tags: tiled, blocks: [new Uint8Array(65_536)] }]));
      const read = source.readWindow([1], { x: 0, y: 0, width: 8, height: 8 }, 0);
      await expect(read).rejects.toThrow(`lists 1 blocks where its size makes ${8_388_608 ** 2}`);
    });
    expect(largest).toBeLessThan(1024 * 1024);
  });

  it('is refused where many tags point to the same bytes', async () => {
    // Each directory's tags point to most of the file: read one by one they would be a thousand times its size.
    const bytes = buildTiff(
      Array.from({ length: 500 }, () => ({ tags: imageTags(4, 4, 8), blocks: [new Uint8Array(16)] })),
    );
    const view = new DataView(bytes.buffer);
    for (let at = view.getUint32(4, true); at !== 0;) {
      const entries = view.getUint16(at, true);
      for (let entry = 0; entry < entries; entry++) {
        view.setUint16(at + 2 + entry * 12 + 2, 1, true);
        view.setUint32(at + 2 + entry * 12 + 4, bytes.length - 8, true);
        view.setUint32(at + 2 + entry * 12 + 8, 8, true);
      }
      at = view.getUint32(at + 2 + entries * 12, true);
    }
    await expect(open(bytes)).rejects.toThrow(`its tags claim more than 4 times the file's ${bytes.length} bytes`);
  });
});
