import { describe, expect, it } from '@jest/globals';
import { middleOfLongestRun } from '../../../lambda/engines/embedded/message-order.ts';

const ids = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);

describe('a receiver beside others begins', () => {
  it('in the middle of what is left', () => {
    expect(middleOfLongestRun(ids(2, 401))).toBe(202);
  });

  it('in the middle of the longest run between those at work', () => {
    expect(middleOfLongestRun([...ids(2, 100), ...ids(202, 401)])).toBe(302);
  });

  it('with the one message that is left, or with none', () => {
    expect(middleOfLongestRun([5])).toBe(5);
    expect(middleOfLongestRun([])).toBeNull();
  });
});
