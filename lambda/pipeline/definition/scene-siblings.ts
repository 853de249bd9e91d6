import type { Captures } from './band-path.ts';
import { compileBandPath } from './band-path.ts';
import type { Pipeline } from './pipeline.ts';

/** The objects that make one scene with a given one. */
export interface SceneSiblings {
  readonly captures: Captures;
  /** What people call the scene. */
  readonly scene: string;
  /** The keys that each band's object may have, likeliest first, in the order of the pipeline's bands. */
  readonly keys: readonly { readonly band: string; readonly candidates: readonly string[] }[];
}

const TIFF_NAME = /([^/]*)\.tiff?$/iu;

const lastSegment = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The captured scene's last folder or file name without the separators at its end. */
const sceneName = (captured: string): string => {
  const trimmed = captured.replace(/[\s/_.-]+$/u, '');
  return lastSegment(trimmed) || 'scene';
};

/** The captures of the template that fits the key most exactly, or null where none fits. */
const bestMatch = (templates: Iterable<string>, key: string): { template: string; captures: Captures } | null => {
  let best: { template: string; captures: Captures; exactness: number } | null = null;
  for (const template of templates) {
    const path = compileBandPath(template);
    const captures = path.match(key);
    if (captures !== null && path.literalLength > (best?.exactness ?? -1)) {
      best = { template, captures, exactness: path.literalLength };
    }
  }
  return best;
};

/**
 * The scene that an object belongs to, and the keys of all its objects; null where the object is none of the pipeline's.
 * Of a pipeline whose bands have no paths, every `.tif` or `.tiff` object is a scene, called by its name.
 *
 * @param key the object's decoded key.
 */
export const siblings = (pipeline: Pipeline, key: string): SceneSiblings | null => {
  const paths = pipeline.bands.map(({ path }) => path).filter((path) => path !== null);
  if (paths.length === 0) {
    const stem = TIFF_NAME.exec(key)?.[1];
    if (stem === undefined) return null;
    const keys = pipeline.bands.map(({ name }) => ({ band: name, candidates: [key] }));
    return { captures: { scene: stem }, scene: sceneName(stem), keys };
  }
  const found = bestMatch(pipeline.trigger === null ? paths : [...paths, pipeline.trigger], key);
  if (found === null) return null;
  const { captures, template } = found;
  const extension = /\.[^./]*$/u.exec(key)?.[0] ?? '';
  const keys = pipeline.bands.map(({ name, path }) => {
    if (path === null || path === template) return { band: name, candidates: [key] };
    const candidates = compileBandPath(path).keysFor(captures);
    // Siblings are most often spelt in the same case.
    const like = candidates.filter((candidate) => candidate.endsWith(extension));
    return { band: name, candidates: [...new Set([...like, ...candidates])] };
  });
  return { captures, scene: sceneName(captures['scene'] ?? ''), keys };
};

/** Whether the upload of an object starts its scene: of a pipeline with a trigger, only the trigger's does. */
export const rings = (pipeline: Pipeline, key: string): boolean =>
  pipeline.trigger === null ? siblings(pipeline, key) !== null : compileBandPath(pipeline.trigger).match(key) !== null;
