import { expect, it } from '@jest/globals';
import { GarbageTotal } from '../../bin/operator/garbage-total.ts';

it('the total of gc counts what each line calls an object', () => {
  const total = new GarbageTotal();
  expect(total.line).toBe('0 stray objects');
  total.add('foreign', 5);
  expect(total.line).toBe('1 stray objects: 1 foreign');
  for (const bytes of [8, 9]) total.add('removed', bytes);
  total.add('young', 7);
  total.add('unknown scene', 7);
  expect(total.line).toBe('5 stray objects: 2 removed (17 bytes), 1 young, 1 of unknown scenes, 1 foreign');
});

it('of a dry run says what would be removed', () => {
  const total = new GarbageTotal();
  total.add('would be removed', 8);
  expect(total.line).toBe('1 stray objects: 1 would be removed (8 bytes)');
});
