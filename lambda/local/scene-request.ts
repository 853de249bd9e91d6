import { isOutputKey } from '../identity/output-keys.ts';
import type { Pipeline } from '../pipeline/definition/pipeline.ts';
import type { SceneSiblings } from '../pipeline/definition/scene-siblings.ts';
import type { FanOutRequest } from '../pipeline/fan-out.ts';
import { candidatesOf } from '../pipeline/look-at-sources.ts';

/** A scene that somebody asked for. */
export interface SceneRequest extends FanOutRequest {
  /** What messages call it. */
  readonly label: string;
  /** The same for every file of one scene, and for no other scene's on this machine. */
  readonly identity: string;
}

/** Where an object of a scene was found. */
export interface FoundObject {
  readonly location: string;
  readonly bucket: string;
  readonly key: string;
}

/** The scene that an object belongs to, as a request for it. */
export const sceneRequest = (
  pipeline: Pipeline,
  { location, bucket, key }: FoundObject,
  found: SceneSiblings,
): SceneRequest => {
  // What the captures stand for is what siblings share; a file that is a scene by itself shares nothing.
  const alone = pipeline.bands.every(({ path }) => path === null);
  const captures = Object.entries(found.captures).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    label: found.scene,
    identity: JSON.stringify([location, alone ? key : captures]),
    location,
    pipeline,
    candidates: candidatesOf(bucket, found),
  };
};

/** False for our own outputs, and for what is hidden: neither is a scene. */
export const mayBeOfScene = (key: string): boolean => {
  const segments = key.split('/');
  return !segments.some((segment, i) => segment.startsWith('.') || isOutputKey(segments.slice(i).join('/')));
};
