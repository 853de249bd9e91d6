import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { TileonceError } from '../errors.ts';
import { FILE_BUCKET } from '../engines/embedded/source-store.ts';
import { isOutputKey } from '../identity/output-keys.ts';
import type { Pipeline } from '../pipeline/definition/pipeline.ts';
import { siblings } from '../pipeline/definition/scene-siblings.ts';
import type { FanOutRequest } from '../pipeline/fan-out.ts';

/** A scene that somebody asked for. */
export interface SceneRequest extends FanOutRequest {
  /** What messages call it. */
  readonly label: string;
}

/**
 * Turns files and folders into scenes: a file rings for its scene, a folder for every scene below it. Files of one
 * scene ring once. A scene's folder is where the pipeline's path templates begin, so that keys do not depend on where
 * on a machine the scene lies.
 *
 * @throws TileonceError where a path does not exist, or nothing in it is a band of the pipeline.
 */
export const findScenes = async (pipeline: Pipeline, paths: readonly string[]): Promise<SceneRequest[]> => {
  const scenes = new Map<string, SceneRequest>();
  for (const path of paths) {
    const kind = await kindOf(path);
    const files = kind === 'folder' ? await filesBelow(resolve(path)) : [resolve(path)];
    let found = 0;
    for (const file of files) {
      const scene = sceneOf(pipeline, file);
      if (scene === null) continue;
      found++;
      const id = [scene.location, ...[...scene.candidates.bandKeys.values()].flat()].join('\n');
      if (!scenes.has(id)) scenes.set(id, scene);
    }
    if (found === 0) throw noBand(pipeline, path, kind);
  }
  return [...scenes.values()];
};

/** The scene that a file belongs to; null where no band's path matches it. */
export const sceneOf = (pipeline: Pipeline, file: string): SceneRequest | null => {
  const segments = file.split(sep);
  for (const depth of keyDepths(pipeline)) {
    if (depth >= segments.length) continue;
    const location = segments.slice(0, -depth).join(sep) || sep;
    const found = siblings(pipeline, segments.slice(-depth).join('/'));
    // A scene that spans folders was matched by a shorter path than this: its folder lies further down.
    if (found === null || found.captures['scene']?.includes('/') === true) continue;
    return {
      label: found.scene === 'scene' ? basename(location) : found.scene,
      location,
      pipeline,
      candidates: {
        bucket: FILE_BUCKET,
        sceneName: found.scene,
        bandKeys: new Map(found.keys.map(({ band, candidates }) => [band, candidates])),
      },
    };
  }
  return null;
};

/** How many path segments the keys of the pipeline's objects may have, fewest first. */
const keyDepths = (pipeline: Pipeline): number[] => {
  const paths = [...pipeline.bands.map(({ path }) => path), pipeline.trigger];
  const depths = paths.flatMap((path) => (path === null ? [] : [path.split('/').length]));
  return [...new Set(depths.length === 0 ? [1] : depths)].toSorted((a, b) => a - b);
};

const kindOf = async (path: string): Promise<'file' | 'folder'> => {
  const stats = await stat(path).catch(() => null);
  if (stats === null) throw new TileonceError(`${path}: no such file or folder`, { remedy: 'check the path' });
  return stats.isDirectory() ? 'folder' : 'file';
};

/** Every file below a folder, in order of path; our own outputs and hidden folders are no scenes. */
const filesBelow = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const key = relative(folder, file).split(sep);
      return (
        !key.some((segment) => segment.startsWith('.')) && !key.some((_, i) => isOutputKey(key.slice(i).join('/')))
      );
    })
    .toSorted();
};

const noBand = (pipeline: Pipeline, path: string, kind: 'file' | 'folder'): TileonceError => {
  const wanted = pipeline.bands.map(({ name, path: template }) => `${name}: ${template ?? '*.tif'}`).join(', ');
  return new TileonceError(
    kind === 'file'
      ? `${path} is no band of pipeline ${pipeline.pipeline}`
      : `no band of pipeline ${pipeline.pipeline} lies in ${path}`,
    { remedy: `its bands are ${wanted}` },
  );
};
