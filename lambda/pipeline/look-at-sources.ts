import { TileonceError } from '../errors.ts';
import type { Pipeline } from './definition/pipeline.ts';
import type { SceneSiblings } from './definition/scene-siblings.ts';
import type { SourceLook, SourceStore } from './source-store.ts';

/** Which objects could be each band's, as computed from the key that rang. */
export interface SceneCandidates {
  readonly bucket: string;
  /** What people call the scene. */
  readonly sceneName: string;
  /** Keys to look for, by band name; the first that is there counts (an extension matches in either case). */
  readonly bandKeys: ReadonlyMap<string, readonly string[]>;
}

/** Where to look for the objects of the scene that a key belongs to. */
export const candidatesOf = (bucket: string, { scene, keys }: SceneSiblings): SceneCandidates => ({
  bucket,
  sceneName: scene,
  bandKeys: new Map(keys.map(({ band, candidates }) => [band, candidates])),
});

/** The scene's objects as two looks in a row agreed they are. */
export interface SceneSources {
  /** Distinct objects. */
  readonly looks: readonly SourceLook[];
  /** Index into `looks`, by band name. */
  readonly sourceOfBand: ReadonlyMap<string, number>;
}

/** A sibling that is not there yet: a clean no-op, its upload rings again. */
export interface MissingBand {
  readonly band: string;
  readonly keys: readonly string[];
}

export type LookOutcome =
  | { readonly kind: 'present'; readonly sources: SceneSources }
  | { readonly kind: 'incomplete'; readonly missing: readonly MissingBand[] };

/** How often the scene is looked at before it is called restless. */
const MOST_LOOKS = 5;

/**
 * Looks at every band's object until two looks agree (docs/design.md, section 2): an event is a doorbell, so what is
 * planned is what is there now, and never half of one upload with half of another.
 *
 * @throws TileonceError where the objects keep changing.
 */
export const lookAtSources = async (
  store: SourceStore,
  pipeline: Pipeline,
  candidates: SceneCandidates,
): Promise<LookOutcome> => {
  let previous = await lookOnce(store, pipeline, candidates);
  for (let looks = 1; looks < MOST_LOOKS; looks++) {
    const current = await lookOnce(store, pipeline, candidates);
    if (fingerprint(previous) === fingerprint(current)) return current;
    previous = current;
  }
  throw new TileonceError(`the objects of scene ${candidates.sceneName} keep changing while they are looked at`, {
    remedy: 'wait until their upload has finished',
  });
};

const lookOnce = async (
  store: SourceStore,
  pipeline: Pipeline,
  { bucket, bandKeys }: SceneCandidates,
): Promise<LookOutcome> => {
  const looks: SourceLook[] = [];
  const sourceOfBand = new Map<string, number>();
  const missing: MissingBand[] = [];
  const seen = new Map<string, SourceLook | null>();
  for (const { name } of pipeline.bands) {
    const keys = bandKeys.get(name) ?? [];
    let found: SourceLook | null = null;
    for (const key of keys) {
      let look = seen.get(key);
      if (look === undefined) {
        look = await store.look(bucket, key);
        seen.set(key, look);
      }
      if (look !== null) {
        found = look;
        break;
      }
    }
    if (found === null) {
      missing.push({ band: name, keys });
      continue;
    }
    let index = looks.indexOf(found);
    if (index < 0) index = looks.push(found) - 1;
    sourceOfBand.set(name, index);
  }
  return missing.length > 0 ? { kind: 'incomplete', missing } : { kind: 'present', sources: { looks, sourceOfBand } };
};

const fingerprint = (outcome: LookOutcome): string =>
  outcome.kind === 'incomplete'
    ? `incomplete ${outcome.missing.map(({ band }) => band).join(' ')}`
    : outcome.sources.looks.map(({ key, versionToken, etag }) => `${key} ${versionToken} ${etag}`).join('\n');
