import type { WrittenRow } from '../../lambda/gates/manifest-store.ts';
import { windowsOf } from '../../lambda/identity/grid.ts';
import { type SceneJobId, assemblyJobId, windowJobId } from '../../lambda/identity/job-key.ts';
import { itemKey, mosaicKey, previewKey } from '../../lambda/identity/output-keys.ts';
import { parsePlan } from '../../lambda/identity/plan-record.ts';
import { type DeployedApp, sha256 } from './deployed-app.ts';

/**
 * What of a finished scene is not as one undisturbed run would have left it, a sentence each; none where all is well:
 * one row for every window, one version of every window's object that is not EMPTY, one mosaic, one item, one preview,
 * nothing beside them, every row's object as the row says, and every claim COMMITTED.
 */
export const deviations = async (app: DeployedApp, id: SceneJobId, windows: number): Promise<string[]> => {
  const rows = await app.manifest.listRows(id);
  const written = rows.flatMap((row) => (row.state === 'WRITTEN' ? [row] : []));
  const expected = [...written.map(({ key }) => key), mosaicKey(id), itemKey(id), previewKey(id)];
  const found = [...(await app.versions(`tiles/${id}/`)), ...(await app.versions(`scenes/${id}/`))];
  const counts = new Map<string, number>();
  for (const key of found) counts.set(key, (counts.get(key) ?? 0) + 1);
  const record = await app.manifest.getPlan(id);
  const state = record?.state ?? 'absent';
  return [
    ...(rows.length === windows ? [] : [`${rows.length} rows for ${windows} windows`]),
    ...(state === 'ASSEMBLED' ? [] : [`the plan is ${state}`]),
    ...expected.filter((key) => !counts.has(key)).map((key) => `${key} is not there`),
    ...[...counts].filter(([, count]) => count > 1).map(([key, count]) => `${key} has ${count} versions`),
    ...[...counts.keys()].filter((key) => !expected.includes(key)).map((key) => `${key} should not be there`),
    ...(await unlikeTheirRows(
      app,
      written.filter(({ key }) => counts.has(key)),
    )),
    ...(record === null ? [] : await notCommitted(app, id, record.plan)),
  ];
};

const AT_ONCE = 16;

const each = async <T>(items: readonly T[], look: (item: T) => Promise<string[]>): Promise<string[]> => {
  const found: string[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE) {
    found.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(look))).flat());
  }
  return found;
};

const unlikeTheirRows = (app: DeployedApp, rows: readonly WrittenRow[]): Promise<string[]> =>
  each(rows, async (row) => {
    const { bytes, etag } = await app.object(row.key);
    const like = bytes.length === row.bytes && etag === row.etag && sha256(bytes) === row.sha256;
    return like ? [] : [`${row.key} is not the object that its row describes`];
  });

const notCommitted = (app: DeployedApp, id: SceneJobId, plan: string): Promise<string[]> => {
  const windows = [...windowsOf(parsePlan(plan).windows)].map((window) => windowJobId(id, window));
  return each([id, ...windows, assemblyJobId(id)], async (jobId) => {
    const state = (await app.claims.get(jobId))?.state ?? 'absent';
    return state === 'COMMITTED' ? [] : [`the claim ${jobId} is ${state}`];
  });
};

/** Queues of what could not be done that are not empty. */
export const deadLetters = async (app: DeployedApp): Promise<string[]> => {
  const { deadLetters: queues, lost } = app.deployed;
  const urls = [...Object.values(queues), ...lost];
  const depths = await Promise.all(urls.map((url) => app.depth(url)));
  return urls.flatMap((url, at) => (depths[at] === 0 ? [] : [`${depths[at]} in ${url}`]));
};
