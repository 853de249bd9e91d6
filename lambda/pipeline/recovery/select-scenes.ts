import { TileonceError } from '../../errors.ts';
import type { ManifestStore, PlanRecord } from '../../gates/manifest-store.ts';
import { parsePlan } from '../../identity/plan-record.ts';
import type { ScenePlan } from '../../identity/plan.ts';

export interface PlannedScene {
  readonly record: PlanRecord;
  readonly plan: ScenePlan;
}

/** Fewer digits of a job id than this could be a name. */
const LEAST_DIGITS = 6;

/** Every planned scene, in the store's order. */
export const allScenes = async (manifest: ManifestStore): Promise<PlannedScene[]> =>
  (await manifest.listPlans()).map((record) => ({ record, plan: parsePlan(record.plan) }));

/**
 * The scenes that each of `names` means: a job id, its first digits (6 or more), or a scene's name (which several
 * pipelines and versions may share).
 *
 * @throws TileonceError where a name means no scene.
 */
export const selectScenes = (scenes: readonly PlannedScene[], names: readonly string[]): PlannedScene[] => {
  const chosen = new Set<PlannedScene>();
  for (const name of names) {
    const found = scenes.filter(({ plan }) => meansScene(name, plan));
    if (found.length === 0) {
      throw new TileonceError(`there is no scene ${name}`, { remedy: 'tileonce list shows ids and names' });
    }
    for (const scene of found) chosen.add(scene);
  }
  return scenes.filter((scene) => chosen.has(scene));
};

/** The one scene that `name` means. @throws TileonceError where it means none, or several. */
export const selectScene = (scenes: readonly PlannedScene[], name: string): PlannedScene => {
  const [first, ...others] = selectScenes(scenes, [name]);
  if (first !== undefined && others.length === 0) return first;
  const ids = [first, ...others].flatMap((scene) => (scene === undefined ? [] : [scene.plan.sceneJobId.slice(0, 12)]));
  throw new TileonceError(`${name} means ${ids.length} scenes (${ids.join(', ')})`, { remedy: 'give the id of one' });
};

const meansScene = (name: string, plan: ScenePlan): boolean =>
  plan.sceneName === name ||
  (name.length >= LEAST_DIGITS && /^[0-9a-f]+$/.test(name) && plan.sceneJobId.startsWith(name));
