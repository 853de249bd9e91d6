import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { compileExpression } from '../../../lambda/raster/expression/compile.ts';
import { applyMask, alphaOf } from '../../../lambda/raster/expression/mask.ts';

const BANDS = ['a', 'b', 'c'];

/** The expression's value over pixels given band by band. */
const values = (text: string, bands: Record<string, readonly number[]>): number[] => {
  const compiled = compileExpression(text, Object.keys(bands));
  const inputs = compiled.bands.map((name) => Float64Array.from(bands[name] ?? []));
  return [...compiled.evaluate(inputs, Object.values(bands)[0]?.length ?? 1)];
};
const value = (text: string, a = 0, b = 0, c = 0): number | undefined => values(text, { a: [a], b: [b], c: [c] })[0];

describe('the values of expressions', () => {
  it.each([
    ['-2**2', -4],
    ['2**3**2', 512],
    ['2**-1', 0.5],
    ['7 % 4', 3],
    ['-7 % 4', -3],
    ['round(2.5)', 3],
    ['round(-2.5)', -3],
    ['round(0.49999999999999994)', 0],
    ['floor(-1.5)', -2],
    ['clamp(5, 0, 1) + clamp(-5, 0, 1)', 1],
    ['min(3, 1, 2) * 10 + max(3, 1, 2)', 13],
    ['abs(-3) + sqrt(16) + exp(0) + log(1)', 8],
    ['3 > 2', 1],
    ['(3 <= 2) + (2 >= 2) + (1 != 1) + (1 == 1)', 2],
    ['!0 + !5', 1],
    ['5 && 3', 1],
    ['0 || 0', 0],
    ['12 & 10', 8],
    ['12 | 10', 14],
    ['12 ^ 10', 6],
    ['1 << 40', 2 ** 40],
    ['-5 >> 1', -3],
    ['bit(8, 3) * 10 + bit(8, 2)', 10],
    ['4294967295 & 4278190080', 4278190080],
    ['4294967295 ^ 1', 4294967294],
    ['9007199254740991 & 9007199254740990', 9007199254740990],
    ['-1 & 4294967295', 4294967295],
    ['bit(2147483648, 31)', 1],
    ['bit(-1, 40)', 1],
  ])('%s is %d', (text, expected) => {
    expect(value(text)).toBe(expected);
  });

  it.each([
    ['log(-1)'],
    ['1 / 0'],
    ['0 / 0'],
    ['sqrt(-4)'],
    ['1.5 & 1'],
    ['bit(1.5, 0)'],
    ['bit(1, -1)'],
    ['1 << 60'],
    ['9007199254740993 & 1 << 53'],
  ])('%s has no value', (text) => {
    expect(value(text)).toBeNaN();
  });
});

describe('where a band has no data', () => {
  const bands = { a: [NaN, 1, 1], b: [1, NaN, 1] };

  it.each([
    ['a + b', [NaN, NaN, 2]],
    ['a > b', [NaN, NaN, 0]],
    ['a ** 0', [NaN, 1, 1]],
    ['min(a, b)', [NaN, NaN, 1]],
    ['!a', [NaN, 0, 0]],
    ['a & b', [NaN, NaN, 1]],
    ['isnodata(a)', [1, 0, 0]],
    ['isnodata(a) ? b : 0', [1, 0, 0]],
    ['isnodata(1 / (a - 1))', [1, 1, 1]],
    ['a ? b : 5', [NaN, NaN, 1]],
    ['a == 1 ? 7 : b', [NaN, 7, 7]],
    ['b == 1 ? 7 : a', [7, NaN, 7]],
    ['0 && a', [0, 0, 0]],
    ['1 && a', [NaN, 1, 1]],
    ['1 || a', [1, 1, 1]],
    ['0 || a', [NaN, 1, 1]],
    ['a || 1', [NaN, 1, 1]],
    ['a && 0', [NaN, 0, 0]],
    ['a == 1 ? nodata : 3', [NaN, NaN, NaN]],
    ['b', [1, NaN, 1]],
    ['2', [2, 2, 2]],
    ['nodata', [NaN, NaN, NaN]],
  ])('%s', (text, expected) => {
    expect(values(text, bands)).toEqual(expected);
  });

  it('a side that is not taken does not count, pixel by pixel', () => {
    expect(values('a > 2 ? b : c', { a: [1, 3, 1, 3], b: [NaN, NaN, 5, 5], c: [6, 6, NaN, NaN] })).toEqual([
      6,
      NaN,
      NaN,
      5,
    ]);
  });
});

describe('compiled expressions', () => {
  it('ask for the bands that they use, in the order of the names', () => {
    expect(compileExpression('c + a * c', BANDS).bands).toEqual(['a', 'c']);
  });

  it('give the same on every pixel of an image larger than a chunk, with any type of memory', () => {
    const length = 10_000;
    const red = Float32Array.from({ length }, (_, i) => (i % 101 === 0 ? NaN : i));
    const nir = Float32Array.from({ length }, (_, i) => 3 * i + 1);
    const expected = Array.from(red, (x, i) => {
      const y = nir[i] ?? NaN;
      return Math.fround((y - x) / (y + x));
    });
    const fused = compileExpression('(nir - red) / (red + nir)', ['red', 'nir']);
    const plain = compileExpression('(nir - red) / (red + nir * 1)', ['red', 'nir']);
    expect([...fused.evaluate([red, nir], length, new Float32Array(length))]).toEqual(expected);
    expect([...plain.evaluate([red, nir], length, new Float32Array(length))]).toEqual(expected);
    expect(plain.evaluate([red, nir], length)).toBeInstanceOf(Float64Array);
  });

  it('can write over an input', () => {
    const a = new Float32Array([1, 2, 3]);
    compileExpression('a * a + a', BANDS).evaluate([a], 3, a);
    expect([...a]).toEqual([2, 6, 12]);
  });

  it('refuse a wrong number of bands or pixels', () => {
    const compiled = compileExpression('a + b', BANDS);
    expect(() => compiled.evaluate([new Float32Array(4)], 4)).toThrow('2 bands wanted, 1 given');
    expect(() => compiled.evaluate([new Float32Array(4), new Float32Array(3)], 4)).toThrow('fewer than 4 pixels');
  });
});

describe('nested operators', () => {
  type Form = { readonly text: string; readonly of: (a: number, b: number, c: number) => number };
  const leaf = fc.constantFrom<Form>(
    { text: 'a', of: (a) => a },
    { text: 'b', of: (_, b) => b },
    { text: 'c', of: (_a, _b, c) => c },
    { text: '2.5', of: () => 2.5 },
    { text: '0', of: () => 0 },
  );
  const join = (text: string, of: (x: number, y: number) => number) => (left: Form, right: Form) => ({
    text: `(${left.text} ${text} ${right.text})`,
    of: (a: number, b: number, c: number) => of(left.of(a, b, c), right.of(a, b, c)),
  });
  const compare = (holds: (x: number, y: number) => boolean) => (x: number, y: number) =>
    Number.isNaN(x) || Number.isNaN(y) ? NaN : Number(holds(x, y));
  const joins = [
    join('+', (x, y) => x + y),
    join('-', (x, y) => x - y),
    join('*', (x, y) => x * y),
    join(
      '<',
      compare((x, y) => x < y),
    ),
    join(
      '>=',
      compare((x, y) => x >= y),
    ),
    join('&&', (x, y) => (x === 0 ? 0 : Number.isNaN(x) ? NaN : Number.isNaN(y) ? NaN : Number(y !== 0))),
    join('||', (x, y) => (Number.isNaN(x) ? NaN : x !== 0 ? 1 : Number.isNaN(y) ? NaN : Number(y !== 0))),
  ];
  const { form } = fc.letrec<{ form: Form }>((tie) => ({
    form: fc.oneof(
      { maxDepth: 5, depthIdentifier: 'form' },
      leaf,
      fc.tuple(fc.constantFrom(...joins), tie('form'), tie('form')).map(([make, x, y]) => make(x, y)),
      fc.tuple(tie('form'), tie('form'), tie('form')).map(([test, yes, no]) => ({
        text: `(${test.text} ? ${yes.text} : ${no.text})`,
        of: (a: number, b: number, c: number) => {
          const chosen = test.of(a, b, c);
          return Number.isNaN(chosen) ? NaN : (chosen === 0 ? no : yes).of(a, b, c);
        },
      })),
      fc.tuple(tie('form'), tie('form'), tie('form')).map(([x, y, z]) => ({
        text: `max(${x.text}, ${y.text}, ${z.text})`,
        of: (a: number, b: number, c: number) => Math.max(x.of(a, b, c), y.of(a, b, c), z.of(a, b, c)),
      })),
    ),
  }));
  const pixel = fc.constantFrom(NaN, -1, 0, 1, 3);

  it('agree with working pixel by pixel', () => {
    fc.assert(
      fc.property(
        form,
        fc.array(fc.tuple(pixel, pixel, pixel), { minLength: 1, maxLength: 8 }),
        ({ text, of }, rows) => {
          const bands = { a: rows.map((r) => r[0]), b: rows.map((r) => r[1]), c: rows.map((r) => r[2]) };
          const plain = (x: number): number => x + 0;
          expect(values(text, bands).map(plain)).toEqual(rows.map(([a, b, c]) => plain(of(a, b, c))));
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('masks', () => {
  it('take out what is true and what is unknown', () => {
    const pixels = new Float32Array([1, 2, 3, 4]);
    applyMask(pixels, new Float32Array([0, 1, NaN, 5]));
    expect([...pixels]).toEqual([1, NaN, NaN, NaN]);
  });

  it('become an alpha band that is opaque where every colour has data', () => {
    const colours = [new Float32Array([1, NaN, 3]), new Float32Array([4, 5, 6])];
    expect([...alphaOf(colours, 255)]).toEqual([255, 0, 255]);
    expect(colours.map((band) => [...band])).toEqual([
      [1, NaN, 3],
      [4, NaN, 6],
    ]);
  });
});
