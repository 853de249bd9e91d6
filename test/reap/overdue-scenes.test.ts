import { expect, it } from '@jest/globals';
import { countOverdue } from '../../lambda/reap/overdue-scenes.ts';
import { SceneWorld } from '../support/scene-world.ts';

const HOUR = 3_600_000;

it('counts a scene once it is older than the limit and not assembled', async () => {
  const world = new SceneWorld();
  await world.plan();
  await world.engine.clock.advance(2 * HOUR);
  expect(await countOverdue(world.context, 2 * HOUR)).toBe(0);
  await world.engine.clock.advance(1);
  expect(await countOverdue(world.context, 2 * HOUR)).toBe(1);
  expect(world.counts.get('ScenesOverdue')).toBe(1);
});

it('does not count an assembled scene, however old', async () => {
  const world = new SceneWorld();
  await world.plan();
  await world.work();
  await world.engine.clock.advance(100 * HOUR);
  expect(await countOverdue(world.context, HOUR)).toBe(0);
  expect(world.counts.get('ScenesOverdue')).toBe(0);
});

it('counts an open plan whose claim has outlived its time to live', async () => {
  const world = new SceneWorld();
  await world.plan();
  const claims = { ...world.context.claims, get: () => Promise.resolve(null) };
  expect(await countOverdue({ ...world.context, claims }, HOUR)).toBe(1);
});
