import { findNodeAtLocation, getNodeValue, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Node, ParseError } from 'jsonc-parser';

/** Way to a value inside a file: names of members and indexes of items. */
export type JsonPath = readonly (string | number)[];

/** A place in a text, both counted from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** What went wrong at a place of a file's text. */
export interface TextProblem extends TextPosition {
  readonly path: JsonPath;
  readonly message: string;
}

/** JSON with comments and trailing commas, read so that every value's place is known. */
export interface JsonText {
  /** Undefined where nothing could be read. */
  readonly value: unknown;
  /** Faults of the syntax: where there are any, the value is a guess. */
  readonly syntax: readonly TextProblem[];
  /** Members that are given twice; the value holds the last. */
  readonly repeated: readonly TextProblem[];
  /** Where the value at `path` stands, or what is nearest around it. `index` counts a string's characters from 0. */
  readonly locate: (path: JsonPath, index?: number) => TextPosition;
  /** Where the name of the member at `path` stands. */
  readonly locateName: (path: JsonPath) => TextPosition;
}

const MESSAGES: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is not a JSON value',
  InvalidNumberFormat: 'this is not a JSON number',
  PropertyNameExpected: 'a name in double quotes is expected here',
  ValueExpected: 'a value is expected here',
  ColonExpected: 'a colon is expected here',
  CommaExpected: 'a comma is expected here',
  CloseBraceExpected: 'a closing } is expected here',
  CloseBracketExpected: 'a closing ] is expected here',
  EndOfFileExpected: 'nothing may follow the closing }',
  UnexpectedEndOfComment: 'the comment is not closed',
  UnexpectedEndOfString: 'the string is not closed',
  InvalidEscapeCharacter: 'this escape is not one of JSON',
  InvalidUnicode: 'this escape is not one of JSON',
  InvalidCharacter: 'this character must be escaped',
};

const positionAt = (text: string, offset: number): TextPosition => {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/u);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
};

/** Length in the text of the first `index` characters of a string, its opening quote included. */
const writtenLength = (literal: string, index: number): number => {
  let offset = 1;
  for (let read = 0; read < index && offset < literal.length - 1; read += 1) {
    if (literal[offset] !== '\\') offset += 1;
    else offset += literal[offset + 1] === 'u' ? 6 : 2;
  }
  return offset;
};

const repeatedMembers = (node: Node, path: JsonPath): { node: Node; path: JsonPath }[] => {
  const seen = new Set<unknown>();
  return (node.children ?? []).flatMap((child, index) => {
    if (node.type === 'array') return repeatedMembers(child, [...path, index]);
    const [name, value] = child.children ?? [];
    if (node.type !== 'object' || name === undefined) return [];
    const key = String(name.value);
    const repeated = seen.has(key) ? [{ node: name, path: [...path, key] }] : [];
    seen.add(key);
    return value === undefined ? repeated : [...repeated, ...repeatedMembers(value, [...path, key])];
  });
};

/** Reads JSON with comments; faults are values. */
export const readJsonText = (text: string): JsonText => {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const nodeNear = (path: JsonPath): Node | undefined => {
    if (root === undefined) return undefined;
    for (let length = path.length; length > 0; length -= 1) {
      const node = findNodeAtLocation(root, path.slice(0, length));
      if (node !== undefined) return node;
    }
    return root;
  };
  const locate = (path: JsonPath, index?: number): TextPosition => {
    const node = nodeNear(path);
    if (node === undefined) return { line: 1, column: 1 };
    const literal = text.slice(node.offset, node.offset + node.length);
    const inside = index === undefined || node.type !== 'string' ? 0 : writtenLength(literal, index);
    return positionAt(text, node.offset + inside);
  };
  const locateName = (path: JsonPath): TextPosition => {
    const name = nodeNear(path)?.parent?.children?.[0];
    return name === undefined ? locate(path) : positionAt(text, name.offset);
  };
  const syntax = errors.map(({ error, offset }) => {
    const code = printParseErrorCode(error);
    return { ...positionAt(text, offset), path: [], message: MESSAGES[code] ?? code };
  });
  const repeated = (root === undefined ? [] : repeatedMembers(root, [])).map(({ node, path }) => ({
    ...positionAt(text, node.offset),
    path,
    message: 'given twice',
  }));
  const value: unknown = root === undefined ? undefined : getNodeValue(root);
  return { value, syntax, repeated, locate, locateName };
};
