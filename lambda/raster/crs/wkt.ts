/** One element of a WKT text: `KEYWORD[item, item, ...]`; items are elements, quoted texts, numbers or bare words. */
export interface WktNode {
  readonly keyword: string;
  readonly items: readonly (WktNode | string | number)[];
}

const TOKEN = /\s*(?:([A-Za-z_][A-Za-z0-9_]*)|"((?:[^"]|"")*)"|([-+]?[0-9.]+(?:[eE][-+]?\d+)?)|([[\](),]))/y;

/** The tree of a WKT text (1 or 2), or null where the text is not WKT. */
export const parseWkt = (text: string): WktNode | null => {
  TOKEN.lastIndex = 0;
  const node = parseNode(text);
  return node === null || typeof node !== 'object' || text.slice(TOKEN.lastIndex).trim() !== '' ? null : node;
};

const parseNode = (text: string): WktNode | string | number | null => {
  const token = TOKEN.exec(text);
  if (token === null) return null;
  const [, word, quoted, number] = token;
  if (quoted !== undefined) return quoted.replaceAll('""', '"');
  if (number !== undefined) return Number(number);
  if (word === undefined) return null;

  const afterWord = TOKEN.lastIndex;
  const open = TOKEN.exec(text)?.[4];
  if (open !== '[' && open !== '(') {
    TOKEN.lastIndex = afterWord;
    return word;
  }
  const items: (WktNode | string | number)[] = [];
  for (;;) {
    const item = parseNode(text);
    if (item === null) return null;
    items.push(item);
    const next = TOKEN.exec(text)?.[4];
    if (next === ']' || next === ')') return { keyword: word.toUpperCase(), items };
    if (next !== ',') return null;
  }
};

/** The first child element with one of these keywords. */
export const wktChild = (node: WktNode, ...keywords: string[]): WktNode | undefined =>
  node.items.find((item): item is WktNode => typeof item === 'object' && keywords.includes(item.keyword));

/** The horizontal system of a compound one; any other as it is. */
export const horizontalPart = (node: WktNode): WktNode => {
  if (node.keyword === 'BOUNDCRS') {
    const source = wktChild(node, 'SOURCECRS');
    const inner = source?.items.find((item): item is WktNode => typeof item === 'object');
    return inner === undefined ? node : horizontalPart(inner);
  }
  if (node.keyword !== 'COMPD_CS' && node.keyword !== 'COMPOUNDCRS') return node;
  const inner = wktChild(node, 'PROJCS', 'PROJCRS', 'PROJECTEDCRS', 'GEOGCS', 'GEOGCRS', 'GEODCRS', 'BOUNDCRS');
  return inner === undefined ? node : horizontalPart(inner);
};

/** The EPSG code that an element itself carries (`AUTHORITY` in WKT 1, `ID` in WKT 2). */
export const wktCode = (node: WktNode): number | undefined => {
  const [authority, code] = wktChild(node, 'AUTHORITY', 'ID')?.items ?? [];
  if (typeof authority !== 'string' || authority.toUpperCase() !== 'EPSG') return undefined;
  const number = Number(code);
  return Number.isInteger(number) ? number : undefined;
};

/** The text of an element again, WKT 1 style. */
export const formatWkt = (node: WktNode): string =>
  `${node.keyword}[${node.items
    .map((item) => {
      if (typeof item === 'object') return formatWkt(item);
      if (typeof item === 'number') return String(item);
      // Bare words in WKT 1 are axis directions alone.
      return node.keyword === 'AXIS' && /^[A-Z]+$/.test(item) ? item : `"${item}"`;
    })
    .join(',')}]`;
