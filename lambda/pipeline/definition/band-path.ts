import { TileonceError } from '../../errors.ts';

/** What a template's captures stand for in one key. */
export type Captures = Readonly<Record<string, string>>;

/** A path template made ready. */
export interface BandPath {
  /** The template, as it was written. */
  readonly template: string;
  /** Names of the captures, in order, each once. */
  readonly names: readonly string[];
  /** Characters of the template that are no capture: the more, the more exact a match. */
  readonly literalLength: number;
  /** What the captures stand for in a key, or null where the key is none of this template's. */
  match(key: string): Captures | null;
  /** Keys that the captures make: the extension as in the template first, then in the other case. */
  keysFor(captures: Captures): readonly string[];
}

/** A path template that cannot be used. */
export class BandPathError extends TileonceError {}

type Part = { readonly literal: string } | { readonly capture: string };

const PART = /\{(?<capture>[A-Za-z_]\w*)\}|(?<literal>[^{}]+)|(?<brace>[{}])/gu;

/** The text as a regular expression that matches it alone. */
const escaped = (literal: string): string => literal.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);

const partsOf = (template: string): Part[] =>
  [...template.matchAll(PART)].map(({ groups }) => {
    const { capture, literal } = groups ?? {};
    if (capture !== undefined) return { capture };
    if (literal !== undefined) return { literal };
    throw new BandPathError(`"${template}" is no path: braces enclose the name of a capture, as in {scene}`);
  });

/** The template without its extension, and the extension in the spellings that are looked for. */
const splitExtension = (template: string): { stem: string; extensions: readonly string[] } => {
  const extension = /\.[A-Za-z0-9]+$/u.exec(template)?.[0] ?? '';
  return {
    stem: template.slice(0, template.length - extension.length),
    extensions: [...new Set([extension, extension.toLowerCase(), extension.toUpperCase()])],
  };
};

/**
 * Compiles a path template: text with captures in braces. `{scene}` at the beginning stands for any text, also none, also
 * with slashes (`{scene}/` then stands for nothing too); any other capture for one or more characters without a slash. A
 * capture that is repeated is the same text again.
 *
 * @throws BandPathError where braces do not pair or enclose no name, or there is no `{scene}`.
 */
export const compileBandPath = (template: string): BandPath => {
  const { stem, extensions } = splitExtension(template);
  const parts = partsOf(stem);
  const names = [...new Set(parts.flatMap((part) => ('capture' in part ? [part.capture] : [])))];
  if (!names.includes('scene')) {
    throw new BandPathError(`"${template}" does not say what belongs to one scene: it needs {scene}`);
  }
  const leading = stem.startsWith('{scene}');
  const folder = stem.startsWith('{scene}/');
  const pattern = new RegExp(`^${patternOf(parts, leading, folder)}(?:${extensions.map(escaped).join('|')})$`, 'u');
  const fillStem = (captures: Captures): string => {
    const filled = parts.map((part) => ('literal' in part ? part.literal : (captures[part.capture] ?? ''))).join('');
    return folder && captures['scene'] === '' ? filled.slice(1) : filled;
  };
  return {
    template,
    names,
    literalLength: template.length - (stem.match(/\{\w+\}/gu)?.join('').length ?? 0),
    match: (key) => {
      const groups = pattern.exec(key)?.groups;
      return groups === undefined ? null : Object.fromEntries(names.map((name) => [name, groups[name] ?? '']));
    },
    keysFor: (captures) => extensions.map((extension) => fillStem(captures) + extension),
  };
};

const patternOf = (parts: readonly Part[], leading: boolean, folder: boolean): string => {
  const seen = new Set<string>();
  const written = parts.map((part, index) => {
    if ('literal' in part) return escaped(folder && index === 1 ? part.literal.slice(1) : part.literal);
    const { capture } = part;
    if (seen.has(capture)) return `\\k<${capture}>`;
    seen.add(capture);
    if (index > 0 || !leading) return `(?<${capture}>[^/]+)`;
    return folder ? `(?:(?<scene>[^]+)/)?` : `(?<scene>[^]*)`;
  });
  return written.join('');
};
