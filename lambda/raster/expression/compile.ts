/* oxlint-disable typescript/no-unsafe-type-assertion -- index reads: see kernels.ts. */
import { widen } from '../kernels/expression-kernels.ts';
import type { FloatPixels } from '../types.ts';
import * as kernels from './kernels.ts';
import type { BinaryKernel, Chunk, UnaryKernel } from './kernels.ts';
import { BINARY, JOINING, ONE_ARGUMENT } from './operator-kernels.ts';
import * as logic from './logic-kernels.ts';
import { parseExpression } from './parse.ts';
import { storeFinite } from './store.ts';
import { bandsOf } from './tree.ts';
import type { ExpressionNode } from './tree.ts';

/** Pixels worked on at a time: a dozen chunks of this size stay in a core's second-level cache. */
export const CHUNK_PX = 4096;

/** An expression made ready to run over pixels. It works in scratch memory of its own: one evaluation at a time. */
export interface CompiledExpression {
  /** The bands that the expression names, in the order of the band names given. */
  readonly bands: readonly string[];
  /**
   * The expression's value at each pixel, NaN where there is none: a band that is evaluated there has no data, or the
   * value is not finite.
   *
   * @param inputs pixels of each of `bands`, in that order, NaN where there is no data.
   * @param length number of pixels, rows x columns.
   * @param into where the values go; by default new float64 memory. May be one of the inputs.
   */
  evaluate(inputs: readonly FloatPixels[], length: number, into?: FloatPixels): FloatPixels;
  /**
   * As `evaluate`, but with what is not finite left as it is, for n pixels from `start` on, at most CHUNK_PX: for whoever
   * goes on with the values while they are in the processor's cache. They stand in scratch memory of the expression's own,
   * which may be changed and is used again.
   */
  chunk(inputs: readonly FloatPixels[], start: number, n: number): Chunk;
}

/** Makes a chunk of CHUNK_PX values. */
export type ChunkMaker = () => Chunk;

/** One node ready to run: `run(n)` leaves the first n values in `out`. */
interface Step {
  readonly out: Chunk;
  readonly run: (n: number) => void;
}

type BinaryNode = Extract<ExpressionNode, { kind: 'binary' }>;

/** (a - b) / (a + b) over two bands, the sum in either order. */
const isNormalizedDifference = (node: BinaryNode): node is BinaryNode & { readonly left: BinaryNode } => {
  const { operator, left, right } = node;
  if (operator !== '/' || left.kind !== 'binary' || right.kind !== 'binary') return false;
  if (left.operator !== '-' || right.operator !== '+') return false;
  const [a, b, c, d] = [left.left, left.right, right.left, right.right].map((side) =>
    side.kind === 'band' ? side.name : null,
  );
  return a !== null && b !== null && ((a === c && b === d) || (a === d && b === c));
};

class Compiler {
  private readonly scratch: Chunk[] = [];
  private readonly bands: ReadonlyMap<string, Step>;
  private readonly newChunk: ChunkMaker;

  constructor(bands: ReadonlyMap<string, Step>, newChunk: ChunkMaker) {
    this.bands = bands;
    this.newChunk = newChunk;
  }

  /** Compiles a node; it and the nodes below it write scratch chunks of number `depth` and above only. */
  compile(node: ExpressionNode, depth: number): Step {
    switch (node.kind) {
      case 'number':
        return this.constant(node.value);
      case 'nodata':
        return this.constant(NaN);
      case 'band': {
        const band = this.bands.get(node.name);
        if (band === undefined) throw new TypeError(`no band ${node.name} was prepared`);
        return band;
      }
      case 'unary':
        return this.unary(node.operator === '-' ? kernels.negate : kernels.not, node.operand, depth);
      case 'binary':
        if (node.operator === '**' && node.right.kind === 'number' && node.right.value === 2) {
          return this.unary(kernels.square, node.left, depth);
        }
        if (isNormalizedDifference(node)) {
          return this.join([kernels.normalizedDifference], [node.left.left, node.left.right], depth);
        }
        return this.join([BINARY[node.operator]], [node.left, node.right], depth);
      case 'logical':
        return this.join([node.operator === '&&' ? logic.and : logic.or], [node.left, node.right], depth);
      case 'choice':
        return this.choice(node.test, node.whenTrue, node.whenFalse, depth);
      case 'call':
        break;
    }
    const [first] = node.arguments;
    const single = ONE_ARGUMENT[node.name];
    if (single !== undefined && first !== undefined) return this.unary(single, first, depth);
    return this.join(JOINING[node.name] ?? [], node.arguments, depth);
  }

  /** Whether a chunk is one that operators write, and not a band's or a constant's. */
  isScratch(chunk: Chunk): boolean {
    return this.scratch.includes(chunk);
  }

  private chunk(depth: number): Chunk {
    return (this.scratch[depth] ??= this.newChunk());
  }

  private constant(value: number): Step {
    return { out: this.newChunk().fill(value), run: () => undefined };
  }

  private unary(kernel: UnaryKernel, operand: ExpressionNode, depth: number): Step {
    const inner = this.compile(operand, depth);
    const out = this.chunk(depth);
    return {
      out,
      run: (n) => {
        inner.run(n);
        kernel(inner.out, out, n);
      },
    };
  }

  /** Operands joined from left to right, the kernels taken in turn. */
  private join(joins: readonly BinaryKernel[], operands: readonly ExpressionNode[], depth: number): Step {
    const [first, ...rest] = operands.map((operand, index) => this.compile(operand, index === 0 ? depth : depth + 1));
    if (first === undefined) throw new TypeError('nothing to join');
    const out = this.chunk(depth);
    return rest.reduce<Step>((left, right, index) => {
      const kernel = joins[index % joins.length];
      if (kernel === undefined) throw new TypeError('no kernel joins these operands');
      const run = (n: number): void => {
        left.run(n);
        right.run(n);
        kernel(left.out, right.out, out, n);
      };
      return { out, run };
    }, first);
  }

  /** Each pixel has the value of the side that its test chooses; a side that no pixel of a chunk chooses is not run. */
  private choice(test: ExpressionNode, whenTrue: ExpressionNode, whenFalse: ExpressionNode, depth: number): Step {
    const condition = this.compile(test, depth);
    const yes = this.compile(whenTrue, depth + 1);
    const no = this.compile(whenFalse, depth + 2);
    const out = this.chunk(depth);
    const run = (n: number): void => {
      condition.run(n);
      let zeros = 0;
      for (let i = 0; i < n; i += 1) if (condition.out[i] === 0) zeros += 1;
      if (zeros < n) yes.run(n);
      if (zeros > 0) no.run(n);
      for (let i = 0; i < n; i += 1) {
        const x = condition.out[i] as number;
        out[i] = Number.isNaN(x) ? NaN : ((x === 0 ? no.out[i] : yes.out[i]) as number);
      }
    };
    return { out, run };
  }
}

/**
 * Compiles an expression to loops over typed arrays. Arithmetic is in float64 whatever the inputs are.
 *
 * @param text the expression (`parseExpression` says what it may hold).
 * @param bandNames the names that stand for a band; those that the expression does not use are not asked for.
 * @param newChunk makes the scratch memory: CHUNK_PX values with whatever stands in them; by default a new array.
 * @throws ExpressionError with every fault and its column.
 */
export const compileExpression = (
  text: string,
  bandNames: readonly string[],
  newChunk: ChunkMaker = () => new Float64Array(CHUNK_PX),
): CompiledExpression => {
  const tree = parseExpression(text, bandNames);
  const used = bandsOf(tree);
  const bands = bandNames.filter((name) => used.has(name));
  const chunks = bands.map(() => newChunk());
  const steps = bands.map((name, index): readonly [string, Step] => [
    name,
    { out: chunks[index] ?? newChunk(), run: () => undefined },
  ]);
  const compiler = new Compiler(new Map(steps), newChunk);
  const root = compiler.compile(tree, 0);

  const run = (inputs: readonly FloatPixels[], start: number, n: number): Chunk => {
    for (const [index, chunk] of chunks.entries()) {
      const band = inputs[index];
      if (band !== undefined) widen(band, start, n, chunk);
    }
    root.run(n);
    return root.out;
  };
  const requireBands = (inputs: readonly FloatPixels[]): void => {
    if (inputs.length !== bands.length) throw new TypeError(`${bands.length} bands wanted, ${inputs.length} given`);
  };

  const evaluate = (inputs: readonly FloatPixels[], length: number, into?: FloatPixels): FloatPixels => {
    requireBands(inputs);
    const values = into ?? new Float64Array(length);
    if ([values, ...inputs].some((pixels) => pixels.length < length)) {
      throw new RangeError(`a band holds fewer than ${length} pixels`);
    }
    for (let start = 0; start < length; start += CHUNK_PX) {
      const n = Math.min(CHUNK_PX, length - start);
      storeFinite(run(inputs, start, n), n, values, start);
    }
    return values;
  };
  // What an operator leaves is nobody else's; a band's or a constant's own chunk is wanted again as it is.
  const copy: Chunk | null = compiler.isScratch(root.out) ? null : newChunk();
  const chunk = (inputs: readonly FloatPixels[], start: number, n: number): Chunk => {
    requireBands(inputs);
    const values = run(inputs, start, n);
    if (copy === null) return values;
    copy.set(values);
    return copy;
  };
  return { bands, evaluate, chunk };
};
