import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { EXIT_USAGE, exitCodeOf } from '../../bin/exit-code.ts';
import { type PipelineOptions, choosePipeline } from '../../bin/pipeline-options.ts';

/** What is said on stderr of options that are refused, and the exit code. */
const refusal = async (options: PipelineOptions): Promise<{ code: number; said: string[] }> => {
  const said: string[] = [];
  jest.spyOn(console, 'error').mockImplementation((line) => void said.push(String(line)));
  const error: unknown = await choosePipeline(options).then(
    () => new Error('not refused'),
    (refused: unknown) => refused,
  );
  return { code: exitCodeOf(error), said };
};

describe('options that say which pipeline is meant', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('may move the bands of a built-in pipeline', async () => {
    expect((await choosePipeline({ pipeline: 'ndvi', band: ['red=1'] })).bands).toMatchObject([
      { name: 'nir', band: 4 },
      { name: 'red', band: 1 },
    ]);
  });

  it.each<[string, PipelineOptions, string[]]>([
    [
      'a band that is nowhere',
      { expression: 'nir', band: ['nir'] },
      [
        'tileonce: "nir" does not say where a band is: write red=3 (a band of the file), nir=B08.tif (how its file ' +
          'ends) or nir=S2.tif:4',
      ],
    ],
    [
      'an expression with two faults, each in its line',
      { expression: 'nri + rde', band: ['nir=1', 'red=2'] },
      [
        'tileonce: command line:1:1: expression: unknown name "nri": did you mean "nir"?',
        'tileonce: command line:1:7: expression: unknown name "rde": did you mean "red"?',
      ],
    ],
    [
      'an expression that leaves a band of the built-in pipeline unused',
      { pipeline: 'ndvi', expression: 'nir' },
      [
        'tileonce: the expression given to the pipeline ndvi does not use the band red: leave out --pipeline and ' +
          'name each band that it uses with --band',
      ],
    ],
    [
      'a band beside a pipeline file',
      { pipeline: 'my.json', band: ['nir=4'] },
      ['tileonce: --expression and --band do not go with a pipeline file: write them into my.json'],
    ],
  ])('are called wrongly with %s: exit code 2', async (_, options, said) => {
    expect(await refusal(options)).toEqual({ code: EXIT_USAGE, said });
  });

  it('name a file that cannot be read: wrong input, exit code 1', async () => {
    expect(await refusal({ pipeline: 'no/such.json' })).toMatchObject({ code: 1 });
  });
});
