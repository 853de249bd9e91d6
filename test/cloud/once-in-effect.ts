import type { SceneJobId } from '../../lambda/identity/job-key.ts';
import { itemKey, mosaicKey, previewKey } from '../../lambda/identity/output-keys.ts';
import type { DeployedApp } from './deployed-app.ts';

/**
 * What of a finished scene is not as one undisturbed run would have left it, a sentence each; none where all is well:
 * one row for every window, one version of every window's object that is not EMPTY, one mosaic, one item, one preview,
 * nothing beside them, and every row's object as the row says.
 */
export const deviations = async (app: DeployedApp, id: SceneJobId, windows: number): Promise<string[]> => {
  const rows = await app.manifest.listRows(id);
  const written = rows.flatMap((row) => (row.state === 'WRITTEN' ? [row] : []));
  const expected = [...written.map(({ key }) => key), mosaicKey(id), itemKey(id), previewKey(id)];
  const found = [...(await app.versions(`tiles/${id}/`)), ...(await app.versions(`scenes/${id}/`))];
  const counts = new Map<string, number>();
  for (const key of found) counts.set(key, (counts.get(key) ?? 0) + 1);
  const state = (await app.manifest.getPlan(id))?.state ?? 'absent';
  return [
    ...(rows.length === windows ? [] : [`${rows.length} rows for ${windows} windows`]),
    ...(state === 'ASSEMBLED' ? [] : [`the plan is ${state}`]),
    ...expected.filter((key) => !counts.has(key)).map((key) => `${key} is not there`),
    ...[...counts].filter(([, count]) => count > 1).map(([key, count]) => `${key} has ${count} versions`),
    ...[...counts.keys()].filter((key) => !expected.includes(key)).map((key) => `${key} should not be there`),
  ];
};

/** Queues of what could not be done that are not empty. */
export const deadLetters = async (app: DeployedApp): Promise<string[]> => {
  const { deadLetters: queues, lost } = app.deployed;
  const urls = [...Object.values(queues), ...lost];
  const depths = await Promise.all(urls.map((url) => app.depth(url)));
  return urls.flatMap((url, at) => (depths[at] === 0 ? [] : [`${depths[at]} in ${url}`]));
};
