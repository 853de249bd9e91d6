import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { TileonceError } from '../errors.ts';
import { errnoOf } from '../engines/embedded/errno.ts';
import { FILE_BUCKET } from '../engines/embedded/source-store.ts';
import type { Pipeline } from '../pipeline/definition/pipeline.ts';
import { siblings } from '../pipeline/definition/scene-siblings.ts';
import { type Searched, searchRemote } from './find-remote-scenes.ts';
import { parseAddress } from './remote-address.ts';
import type { RemoteStores } from './remote-sources.ts';
import { type SceneRequest, mayBeOfScene, sceneRequest } from './scene-request.ts';

/**
 * Turns files and folders, and addresses of remote ones, into scenes: a file rings for its scene, a folder for every
 * scene below it. Files of one scene ring once. A scene's folder is where the pipeline's path templates begin, so that
 * keys do not depend on where on a machine the scene lies.
 *
 * @param listKeys lists what is below a prefix of a bucket.
 * @throws TileonceError where a path cannot be read, or nothing in it is a band of the pipeline.
 */
export const findScenes = async (
  pipeline: Pipeline,
  paths: readonly string[],
  listKeys: RemoteStores['listKeys'],
): Promise<SceneRequest[]> => {
  const scenes = new Map<string, SceneRequest>();
  for (const path of paths) {
    const address = parseAddress(path);
    const searched =
      address === null ? await searchFiles(pipeline, path) : await searchRemote(pipeline, address, listKeys);
    if (searched.scenes.length === 0) throw noBand(pipeline, path, searched);
    for (const scene of searched.scenes) if (!scenes.has(scene.identity)) scenes.set(scene.identity, scene);
  }
  return [...scenes.values()];
};

const searchFiles = async (pipeline: Pipeline, path: string): Promise<Searched> => {
  const kind = await kindOf(path);
  const names = kind === 'folder' ? await filesBelow(path) : [resolve(path)];
  return { kind, names, scenes: names.flatMap((file) => sceneOf(pipeline, file) ?? []) };
};

/** The scene that a file belongs to; null where no band's path matches it. */
export const sceneOf = (pipeline: Pipeline, file: string): SceneRequest | null => {
  const segments = file.split(sep);
  for (const depth of keyDepths(pipeline)) {
    if (depth >= segments.length) continue;
    const location = segments.slice(0, -depth).join(sep) || sep;
    const key = segments.slice(-depth).join('/');
    const found = siblings(pipeline, key);
    // A scene that spans folders was matched by a shorter path than this: its folder lies further down.
    if (found === null || found.captures['scene']?.includes('/') === true) continue;
    const request = sceneRequest(pipeline, { location, bucket: FILE_BUCKET, key }, found);
    return found.scene === 'scene' ? { ...request, label: basename(location) } : request;
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
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    throw unreadable(path, error);
  }
};

const unreadable = (path: string, cause: unknown): TileonceError => {
  const code = errnoOf(cause);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new TileonceError(`${path}: no such file or folder`, { remedy: 'check the path', cause });
  }
  return new TileonceError(`${path}: it cannot be read (${code ?? 'unknown error'})`, {
    remedy: 'make it readable for this user',
    cause,
  });
};

/** Every file below a folder, linked ones too, in order of path; our own outputs and hidden folders are no scenes. */
const filesBelow = async (folder: string): Promise<string[]> => {
  const root = resolve(folder);
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    throw unreadable(folder, error);
  });
  const files: string[] = [];
  for (const entry of entries) {
    const file = join(entry.parentPath, entry.name);
    if (!mayBeOfScene(relative(root, file).split(sep).join('/'))) continue;
    if (entry.isFile() || (entry.isSymbolicLink() && (await leadsToFile(file)))) files.push(file);
  }
  return files.toSorted();
};

const leadsToFile = async (link: string): Promise<boolean> => (await stat(link).catch(() => null))?.isFile() === true;

const JPEG_2000 = /\.(jp2|j2k|jpx)$/iu;

const noBand = (pipeline: Pipeline, path: string, { kind, names }: Searched): TileonceError => {
  const jpeg2000 = names.find((file) => JPEG_2000.test(file));
  if (jpeg2000 !== undefined) {
    const name = basename(jpeg2000);
    return new TileonceError(`${path}: ${kind === 'file' ? '' : `${name}: `}JPEG 2000 is not read`, {
      remedy: `convert it with "gdal_translate -of COG -co COMPRESS=DEFLATE ${name} ${name.replace(JPEG_2000, '.tif')}" and name the .tif`,
    });
  }
  const wanted = pipeline.bands.map(({ name, path: template }) => `${name}: ${template ?? '*.tif'}`).join(', ');
  return new TileonceError(
    kind === 'file'
      ? `${path} is no band of pipeline ${pipeline.pipeline}`
      : `no band of pipeline ${pipeline.pipeline} lies in ${path}`,
    { remedy: `its bands are ${wanted}` },
  );
};
