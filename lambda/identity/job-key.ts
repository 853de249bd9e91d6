import canonicalize from 'canonicalize';
import { sha256Hex } from './sha256.ts';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Identity of a scene's whole work: a pure function of its sources and its pipeline. */
export type SceneJobId = Branded<'SceneJobId'>;
/** Identity of one window of a scene. */
export type WindowJobId = Branded<'WindowJobId'>;
/** Identity of a scene's assembly. */
export type AssemblyJobId = Branded<'AssemblyJobId'>;
/** Identity of one overwrite of one window's inspected object. */
export type OverwriteJobId = Branded<'OverwriteJobId'>;

/** What JSON can hold; the hashed params carry no floating-point number, only integers and decimal strings. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: JsonValue;
}

/** A source object as the identity sees it. */
export interface SourceIdentity {
  readonly bucket: string;
  /** The decoded key. */
  readonly key: string;
  /** What changes when the bytes change (docs/design.md, section 2). */
  readonly versionToken: string;
}

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** RFC 8785 text of a JSON value. */
export const canonicalJson = (value: JsonValue): string => {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('a value that JSON cannot hold has no canonical form');
  return text;
};

/**
 * The scene job id (docs/design.md, section 2): hex SHA-256 of three lines for each distinct source object, sorted
 * by bucket then key, followed by the canonical params, all joined by line feeds.
 *
 * @throws TypeError where no source is given, or one object comes with two version tokens.
 */
export const sceneJobId = (sources: readonly SourceIdentity[], params: JsonObject): SceneJobId => {
  if (sources.length === 0) throw new TypeError('a scene job needs at least one source object');
  const sorted = sources.toSorted((a, b) => byCodeUnits(a.bucket, b.bucket) || byCodeUnits(a.key, b.key));
  const lines: string[] = [];
  let previous: SourceIdentity | undefined;
  for (const source of sorted) {
    if (previous?.bucket === source.bucket && previous.key === source.key) {
      if (previous.versionToken === source.versionToken) continue;
      throw new TypeError(`two version tokens for one object ${source.bucket}/${source.key}`);
    }
    lines.push(source.bucket, source.key, source.versionToken);
    previous = source;
  }
  // The branding casts here and below are the only ways into these types.
  return sha256Hex([...lines, canonicalJson(params)].join('\n')) as SceneJobId;
};

/** Zero-padded `row_column` of a window, as ids, ledger rows and output keys spell it. */
export const windowName = (window: { row: number; column: number }): string =>
  `${String(window.row).padStart(4, '0')}_${String(window.column).padStart(4, '0')}`;

/** Hex SHA-256 of `sceneJobId \n 0007_0012`. */
export const windowJobId = (scene: SceneJobId, window: { row: number; column: number }): WindowJobId =>
  sha256Hex(`${scene}\n${windowName(window)}`) as WindowJobId;

/** Hex SHA-256 of `sceneJobId \n assembly`. */
export const assemblyJobId = (scene: SceneJobId): AssemblyJobId => sha256Hex(`${scene}\nassembly`) as AssemblyJobId;

/** Identity of a scene's assembly after a backfill changed its windows: covers the ETags that its rows have now. */
export const reassemblyJobId = (scene: SceneJobId, rowEtags: readonly (string | null)[]): AssemblyJobId =>
  sha256Hex([scene, 'assembly', ...rowEtags.map((etag) => etag ?? 'EMPTY')].join('\n')) as AssemblyJobId;

/** Hex SHA-256 of `windowJobId \n overwrite \n inspectedETag`. */
export const overwriteJobId = (window: WindowJobId, inspectedEtag: string): OverwriteJobId =>
  sha256Hex(`${window}\noverwrite\n${inspectedEtag}`) as OverwriteJobId;

const SHA256_HEX = /^[0-9a-f]{64}$/;

/** Reads a scene job id from a message or a path; null where the text is none. */
export const parseSceneJobId = (text: string): SceneJobId | null =>
  SHA256_HEX.test(text) ? (text as SceneJobId) : null;
