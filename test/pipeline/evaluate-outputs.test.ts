import { describe, expect, it } from '@jest/globals';
import { sha256Hex } from '../../lambda/identity/sha256.ts';
import { parsePipeline } from '../../lambda/pipeline/definition/parse-pipeline.ts';
import type { Pipeline } from '../../lambda/pipeline/definition/pipeline.ts';
import { type EvaluatedOutputs, WindowOutputs } from '../../lambda/pipeline/evaluate-outputs.ts';
import type { FloatPixels } from '../../lambda/raster/types.ts';
import { seededRandom } from '../support/cog-images.ts';

const LENGTH = 30_011;

const pipelineOf = (fields: object): Pipeline =>
  parsePipeline(
    JSON.stringify({ pipeline: 'outputs', version: '1', bands: { a: {}, b: {} }, ...fields }),
    'outputs.json',
  );

const bandOf = (seed: number): FloatPixels => {
  const random = seededRandom(seed);
  return Float32Array.from({ length: LENGTH }, () => (random() < 0.1 ? Number.NaN : 1e6 + 300 * random()));
};
const inputs = new Map([
  ['a', bandOf(1)],
  ['b', bandOf(2)],
]);

/** Outputs of the window given in strips of these lengths and one of the rest, in memory that is written over; pixels by their hash. */
const inStrips = (
  pipeline: Pipeline,
  lengths: readonly number[],
): Omit<EvaluatedOutputs, 'bands'> & { bands: string[] } => {
  const outputs = new WindowOutputs(pipeline, LENGTH);
  let start = 0;
  for (const length of [...lengths, LENGTH - lengths.reduce((sum, n) => sum + n, 0)]) {
    const strip = new Map([...inputs].map(([name, band]) => [name, band.slice(start, start + length)]));
    outputs.add(strip, length);
    for (const band of strip.values()) band.fill(-1);
    start += length;
  }
  const { bands, ...evaluated } = outputs.evaluated();
  return { ...evaluated, bands: bands.map(({ buffer }) => sha256Hex(new Uint8Array(buffer))) };
};

describe('Outputs of a window', () => {
  it.each([
    ['one of floats', { expression: '(a - b) / (a + b)' }],
    ['one of integers', { expression: 'a + 0 * b', dtype: 'uint16' }],
    [
      'several under a mask',
      {
        outputs: [
          { name: 'd', expression: 'a - b' },
          { name: 'q', expression: 'a / b' },
        ],
        mask: 'a > b - 100',
      },
    ],
    [
      'colours with an alpha',
      {
        outputs: ['a', 'b', 'a - b'].map((expression, i) => ({ name: `c${i}`, expression: `(${expression}) / 9000` })),
        color: 'rgb',
        dtype: 'uint8',
      },
    ],
  ])('are the same to the last digit in whatever strips it comes: %s', (_, fields) => {
    const pipeline = pipelineOf(fields);
    const whole = inStrips(pipeline, []);
    expect(whole.validPixels).toBeGreaterThan(LENGTH / 8);
    const random = seededRandom(3);
    const ragged = Array.from({ length: 9 }, () => Math.floor(random() * 3_000));
    for (const lengths of [ragged, [4096, 8192], [1, 4095, 4097, 1], [30_000, 5, 5], [1, 2, 3]]) {
      expect(inStrips(pipeline, lengths)).toEqual(whole);
    }
  });

  it('would have other last digits if chunks began anew with each strip', () => {
    const pipeline = pipelineOf({ expression: '(a - b) / (a + b)' });
    const [whole] = inStrips(pipeline, []).statistics;
    const parts = [0, 1000].map((start, i, starts) => {
      const length = (starts[i + 1] ?? LENGTH) - start;
      const outputs = new WindowOutputs(pipeline, length);
      outputs.add(new Map([...inputs].map(([name, band]) => [name, band.slice(start, start + length)])), length);
      return outputs.evaluated().statistics[0];
    });
    expect(parts[1]?.mean).not.toBe(whole?.mean);
    expect(mergedMean(parts)).not.toBe(whole?.mean);
    expect(mergedMean(parts)).toBeCloseTo(whole?.mean ?? Number.NaN, 9);
  });

  it('refuse pixels that are missing, too many, or not there for a band', () => {
    const pipeline = pipelineOf({ expression: 'a + b' });
    const outputs = new WindowOutputs(pipeline, LENGTH);
    const some = new Map([...inputs].map(([name, band]) => [name, band.slice(0, 5000)]));
    outputs.add(some, 5000);
    expect(() => outputs.evaluated()).toThrow(`4096 of ${LENGTH} px were given`);
    expect(() => outputs.add(inputs, LENGTH)).toThrow('5000 px too many');
    expect(() => outputs.add(some, 4000)).toThrow('band a has 5000 px of a strip of 4000');
    expect(() => new WindowOutputs(pipeline, 10).add(new Map([['a', new Float32Array(10)]]), 10)).toThrow(
      'band b was not read',
    );
  });
});

const mergedMean = (parts: readonly ({ count: number; mean: number | null } | null | undefined)[]): number => {
  const count = parts.reduce((sum, part) => sum + (part?.count ?? 0), 0);
  return parts.reduce((sum, part) => sum + ((part?.mean ?? 0) * (part?.count ?? 0)) / count, 0);
};
