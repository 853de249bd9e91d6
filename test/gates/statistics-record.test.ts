import { describe, expect, it } from '@jest/globals';
import { parseStatistics, serialiseStatistics } from '../../lambda/gates/statistics-record.ts';

const known = { count: 3, min: -1, max: 0.1 + 0.2, mean: 1 / 3, m2: 5e-324 };

describe('statistics on record', () => {
  it('read back to the last bit, also what is not known', () => {
    const statistics = [known, null, { ...known, m2: null }, { ...known, min: -Number.MAX_VALUE, mean: null }];
    expect(parseStatistics(serialiseStatistics(statistics))).toEqual(statistics);
  });

  it.each(['min', 'max', 'mean', 'm2'])('are refused where their %s is not finite, before they are stored', (name) => {
    for (const value of [NaN, Infinity, -Infinity]) {
      expect(() => serialiseStatistics([{ ...known, [name]: value }])).toThrow(`the statistic ${name} is ${value}`);
    }
    // As it was: written without a word, as a number that is none.
    expect(JSON.stringify([{ ...known, [name]: Infinity }])).toContain(`"${name}":null`);
  });

  it('that an earlier version let overflow are not known', () => {
    const unknown = [{ ...known, mean: null, m2: null }];
    expect(parseStatistics(JSON.stringify([{ ...known, mean: Infinity, m2: NaN }]))).toEqual(unknown);
    const spelled = { ...known, mean: { $number: 'Infinity' }, m2: { $number: 'NaN' } };
    expect(parseStatistics(JSON.stringify([spelled]))).toEqual(unknown);
  });

  it.each(['no JSON', '{}', '[{"count":1}]', '[{"count":1,"min":null,"max":1,"mean":1,"m2":0}]'])(
    'are nothing where the text is %s',
    (text) => expect(parseStatistics(text)).toBeNull(),
  );
});
