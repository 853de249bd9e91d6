import type { Expression } from 'jsep';
import { BoundedMemo } from '../bounded-memo.ts';
import type { ExpressionProblem } from './expression-error.ts';
import { ExpressionError } from './expression-error.ts';
import { GrammarError, isNode, readSyntax } from './grammar.ts';
import type { SyntaxTree } from './grammar.ts';
import { didYouMean } from './nearest-name.ts';
import { BINARY_OPERATORS, FUNCTIONS, NODATA_NAME } from './tree.ts';
import type { BinaryOperator, ExpressionNode, FunctionName } from './tree.ts';

const MAX_LENGTH = 4096;
const COMPARISONS: ReadonlySet<unknown> = new Set(['==', '!=', '<', '<=', '>', '>=']);
/** Words that other languages use, and what stands for them here. */
const FOREIGN_WORDS: Readonly<Record<string, string>> = { and: '&&', or: '||', not: '!', nan: NODATA_NAME };
/** Stands where a fault was found; no tree that holds one is handed out. */
const FAULT: ExpressionNode = { kind: 'nodata' };

/** Names that no band can have. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([...Object.keys(FUNCTIONS), NODATA_NAME, 'this']);

const isFunctionName = (name: string): name is FunctionName => Object.hasOwn(FUNCTIONS, name);
const isBinaryOperator = (text: string): text is BinaryOperator =>
  BINARY_OPERATORS.some((operator) => operator === text);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Faults that the parser would let pass: foreign characters, and commas anywhere but between a function's arguments. */
const scanText = (text: string): ExpressionProblem[] => {
  if (text.trim() === '') return [{ column: 1, message: 'empty' }];
  if (text.length > MAX_LENGTH) return [{ column: MAX_LENGTH + 1, message: `longer than ${MAX_LENGTH} characters` }];
  const foreign = /[^\w\s.+\-*/%<>=!&|^?:(),]/u.exec(text);
  if (foreign !== null) return [{ column: foreign.index + 1, message: `unexpected character "${foreign[0]}"` }];
  const opens: boolean[] = [];
  for (const match of text.matchAll(/(\w?)\s*\(|\)|,/gu)) {
    if (match[0] === ')') opens.pop();
    else if (match[0] !== ',') opens.push(match[1] !== '');
    else if (opens.at(-1) !== true) {
      return [{ column: match.index + 1, message: 'a comma belongs between the arguments of a function' }];
    }
  }
  return [];
};

class Reader {
  readonly problems: ExpressionProblem[] = [];
  /** Commas that stand between arguments; the parser takes a space for one. */
  commas = 0;
  private readonly syntax: SyntaxTree;
  private readonly bands: ReadonlySet<string>;

  constructor(syntax: SyntaxTree, bands: ReadonlySet<string>) {
    this.syntax = syntax;
    this.bands = bands;
  }

  read(node: unknown): ExpressionNode {
    if (!isNode(node)) return FAULT;
    switch (node.type) {
      case 'Literal':
        return this.number(node);
      case 'Identifier':
        return this.name(node);
      case 'UnaryExpression':
        return { kind: 'unary', operator: node['operator'] === '!' ? '!' : '-', operand: this.read(node['argument']) };
      case 'BinaryExpression':
        return this.binary(node);
      case 'ConditionalExpression':
        return {
          kind: 'choice',
          test: this.read(node['test']),
          whenTrue: this.read(node['consequent']),
          whenFalse: this.read(node['alternate']),
        };
      case 'CallExpression':
        return this.call(node);
      case 'Compound':
      case 'SequenceExpression':
        return this.missingOperator(node);
      case 'MemberExpression':
        return this.fault(node, 'a name cannot have members');
      case 'ThisExpression':
        return this.fault(node, `unknown name "this"${this.hint('this')}`);
      default:
        return this.fault(node, `${node.type} is not part of an expression`);
    }
  }

  private fault(node: Expression, message: string): ExpressionNode {
    this.problems.push({ column: this.syntax.start(node) + 1, message });
    return FAULT;
  }

  private number(node: Expression): ExpressionNode {
    const { value } = node;
    return typeof value === 'number' && Number.isFinite(value)
      ? { kind: 'number', value }
      : this.fault(node, 'not a finite number');
  }

  private name(node: Expression): ExpressionNode {
    const name = textOf(node['name']);
    if (name === NODATA_NAME) return { kind: 'nodata' };
    if (this.bands.has(name)) return { kind: 'band', name };
    if (isFunctionName(name)) return this.fault(node, `${name} is a function: write ${name}(...)`);
    return this.fault(node, `unknown name "${name}"${this.hint(name)}`);
  }

  private hint(name: string): string {
    const operator = FOREIGN_WORDS[name.toLowerCase()];
    if (operator !== undefined) return `: did you mean ${operator}?`;
    const near = didYouMean(name, [...this.bands, NODATA_NAME]);
    return near !== '' ? near : ` (bands: ${[...this.bands].join(', ') || 'none'})`;
  }

  private binary(node: Expression): ExpressionNode {
    const operator = textOf(node['operator']);
    const left = this.read(node['left']);
    const right = this.read(node['right']);
    if (operator === '&&' || operator === '||') return { kind: 'logical', operator, left, right };
    if (!isBinaryOperator(operator)) return this.fault(node, `unknown operator ${operator}`);
    if (COMPARISONS.has(operator)) {
      const inner = node['left'];
      if (isNode(inner) && COMPARISONS.has(inner['operator']) && !this.syntax.bracketed(inner)) {
        return this.fault(node, 'comparisons cannot be chained: join two of them with &&');
      }
      if (left !== FAULT && right !== FAULT && (left.kind === 'nodata' || right.kind === 'nodata')) {
        return this.fault(node, 'nothing compares with nodata: use isnodata(x)');
      }
    }
    return { kind: 'binary', operator, left, right };
  }

  private call(node: Expression): ExpressionNode {
    const { callee, arguments: list } = node;
    if (!isNode(callee) || callee.type !== 'Identifier') return this.fault(node, 'only a function can be called');
    const name = textOf(callee['name']);
    const values = (Array.isArray(list) ? list : []).map((value) => this.read(value));
    this.commas += Math.max(0, values.length - 1);
    if (!isFunctionName(name)) {
      const near = didYouMean(name, Object.keys(FUNCTIONS));
      const rest = near !== '' ? near : ` (functions: ${Object.keys(FUNCTIONS).join(', ')})`;
      return this.fault(node, `unknown function "${name}"${rest}`);
    }
    const [least, most] = FUNCTIONS[name];
    if (values.length < least || values.length > most) {
      const wanted = least === most ? `${least}` : `at least ${least}`;
      return this.fault(node, `${name} takes ${wanted} argument${wanted === '1' ? '' : 's'}, not ${values.length}`);
    }
    return { kind: 'call', name, arguments: values };
  }

  private missingOperator(node: Expression): ExpressionNode {
    const parts = node['body'] ?? node['expressions'];
    const list: unknown[] = Array.isArray(parts) ? parts : [];
    const [, second] = list;
    if (!isNode(second)) return this.fault(node, 'empty');
    const word = second.type === 'Identifier' ? FOREIGN_WORDS[textOf(second['name']).toLowerCase()] : undefined;
    for (const part of list) if (part !== second || word === undefined) this.read(part);
    return this.fault(second, word === undefined ? 'an operator is missing here' : `did you mean ${word}?`);
  }
}

/**
 * Reads an expression over bands: + - * / ** % and unary minus as in mathematics, comparisons, ! && ||, ? :, the bit
 * operators & | ^ << >>, numbers, `nodata`, and the functions of `FUNCTIONS`. Only these are let through: the text is
 * never run.
 *
 * @param bandNames the names that stand for a band.
 * @throws ExpressionError with every fault and its column.
 */
export const parseExpression = (text: string, bandNames: Iterable<string>): ExpressionNode => {
  const names = [...bandNames];
  return parsed.get(JSON.stringify([text, ...names]), () => parse(text, names));
};

/** Every window of a scene asks for the same few; trees are not changed by those who have them. */
const parsed = new BoundedMemo<ExpressionNode>(64);

const parse = (text: string, bandNames: readonly string[]): ExpressionNode => {
  const faults = scanText(text);
  if (faults.length > 0) throw new ExpressionError(text, faults);
  try {
    const syntax = readSyntax(text);
    const reader = new Reader(syntax, new Set(bandNames));
    const tree = reader.read(syntax.root);
    if (reader.problems.length > 0) throw new ExpressionError(text, reader.problems);
    if (reader.commas !== (text.match(/,/gu) ?? []).length) {
      throw new ExpressionError(text, [{ column: 1, message: 'a comma between arguments is missing' }]);
    }
    return tree;
  } catch (error) {
    if (!(error instanceof GrammarError)) throw error;
    const message = error.message.charAt(0).toLowerCase() + error.message.slice(1);
    const hint = message.startsWith('unexpected "="') ? ': did you mean ==?' : '';
    throw new ExpressionError(text, [{ column: error.index + 1, message: message + hint }]);
  }
};
