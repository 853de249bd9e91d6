/** Operators that take both sides' values, as in mathematics and C. */
// oxfmt-ignore
export const BINARY_OPERATORS = [
  '+', '-', '*', '/', '%', '**',
  '==', '!=', '<', '<=', '>', '>=',
  '&', '|', '^', '<<', '>>',
] as const;
export type BinaryOperator = (typeof BINARY_OPERATORS)[number];

/** The functions and how many arguments each takes, least and most. */
export const FUNCTIONS = {
  min: [2, 64],
  max: [2, 64],
  abs: [1, 1],
  sqrt: [1, 1],
  log: [1, 1],
  exp: [1, 1],
  floor: [1, 1],
  round: [1, 1],
  clamp: [3, 3],
  bit: [2, 2],
  isnodata: [1, 1],
} as const satisfies Record<string, readonly [number, number]>;
export type FunctionName = keyof typeof FUNCTIONS;

/** The name that stands for a pixel without data. */
export const NODATA_NAME = 'nodata';

/** An expression as a tree; every leaf is a number, a band or `nodata`. */
export type ExpressionNode =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'nodata' }
  | { readonly kind: 'band'; readonly name: string }
  | { readonly kind: 'unary'; readonly operator: '-' | '!'; readonly operand: ExpressionNode }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: ExpressionNode;
      readonly right: ExpressionNode;
    }
  | {
      readonly kind: 'logical';
      readonly operator: '&&' | '||';
      readonly left: ExpressionNode;
      readonly right: ExpressionNode;
    }
  | {
      readonly kind: 'choice';
      readonly test: ExpressionNode;
      readonly whenTrue: ExpressionNode;
      readonly whenFalse: ExpressionNode;
    }
  | { readonly kind: 'call'; readonly name: FunctionName; readonly arguments: readonly ExpressionNode[] };

/** The nodes directly below a node, in the order in which they stand in the text. */
export const childNodes = (node: ExpressionNode): readonly ExpressionNode[] => {
  switch (node.kind) {
    case 'number':
    case 'nodata':
    case 'band':
      return [];
    case 'unary':
      return [node.operand];
    case 'binary':
    case 'logical':
      return [node.left, node.right];
    case 'choice':
      return [node.test, node.whenTrue, node.whenFalse];
    case 'call':
      break;
  }
  return node.arguments;
};

/** Names of the bands below a node. */
export const bandsOf = (node: ExpressionNode): Set<string> =>
  node.kind === 'band' ? new Set([node.name]) : new Set(childNodes(node).flatMap((child) => [...bandsOf(child)]));

/** Names of the bands whose bits are read: they hold flags or classes, which no resampling may blend. */
export const bitBandsOf = (node: ExpressionNode): Set<string> => {
  const readsBits =
    (node.kind === 'binary' && ['&', '|', '^', '<<', '>>'].includes(node.operator)) ||
    (node.kind === 'call' && node.name === 'bit');
  return readsBits ? bandsOf(node) : new Set(childNodes(node).flatMap((child) => [...bitBandsOf(child)]));
};
