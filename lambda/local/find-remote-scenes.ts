import { TileonceError } from '../errors.ts';
import type { Pipeline } from '../pipeline/definition/pipeline.ts';
import { siblings } from '../pipeline/definition/scene-siblings.ts';
import type { RemoteAddress } from './remote-address.ts';
import type { RemoteStores } from './remote-sources.ts';
import { type SceneRequest, mayBeOfScene, sceneRequest } from './scene-request.ts';

/** What was looked through for scenes. */
export interface Searched {
  readonly kind: 'file' | 'folder';
  /** Names of everything that was looked at, scene or not. */
  readonly names: readonly string[];
  readonly scenes: readonly SceneRequest[];
}

/**
 * The scenes that an address rings for: the one of an object, or (a slash at the end, or a bucket alone) all below it.
 *
 * @throws TileonceError where everything below a URL is asked for; whatever the listing throws.
 */
export const searchRemote = async (
  pipeline: Pipeline,
  address: RemoteAddress,
  listKeys: RemoteStores['listKeys'],
): Promise<Searched> => {
  const kind = address.key === '' || address.key.endsWith('/') ? 'folder' : 'file';
  if (kind === 'folder' && address.kind === 'web') {
    throw new TileonceError(`${address.location}/${address.key}: web servers do not list what they have`, {
      remedy: "name a band's file; its siblings are found by the pipeline's paths",
    });
  }
  const names = kind === 'file' ? [address.key] : (await listKeys(address.bucket, address.key)).filter(mayBeOfScene);
  const scenes = names.flatMap((key) => remoteSceneOf(pipeline, { ...address, key }) ?? []);
  return { kind, names, scenes };
};

/**
 * The scene that a remote object belongs to; null where no band's path matches its key. The whole key counts, as it does
 * for an upload to a deployment: the same object and pipeline are the same job there and here.
 */
export const remoteSceneOf = (
  pipeline: Pipeline,
  { location, bucket, key }: Pick<RemoteAddress, 'location' | 'bucket' | 'key'>,
): SceneRequest | null => {
  const found = siblings(pipeline, key);
  return found === null ? null : sceneRequest(pipeline, { location, bucket, key }, found);
};
