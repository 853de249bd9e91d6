import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { TileonceError } from '../lambda/errors.ts';
import { parsePipeline } from '../lambda/pipeline/definition/parse-pipeline.ts';
import type { Pipeline } from '../lambda/pipeline/definition/pipeline.ts';

/** Several problems of a configuration, to be mended in one go. */
export class ConfigurationError extends TileonceError {
  readonly problems: readonly string[];

  constructor(where: string, problems: readonly string[]) {
    super(`${where} cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/**
 * Reads and checks pipeline files. Every file is checked, whatever the others hold.
 *
 * @param paths relative to `folder`.
 * @throws ConfigurationError with every file's problems.
 */
export const loadPipelines = (paths: readonly string[], folder: string): readonly Pipeline[] => {
  const problems: string[] = [];
  const pipelines = paths.flatMap((path) => {
    const file = resolve(folder, path);
    if (!existsSync(file)) {
      problems.push(`${path}: there is no such file`);
      return [];
    }
    try {
      return [parsePipeline(readFileSync(file, 'utf8'), path)];
    } catch (error) {
      if (!(error instanceof TileonceError)) throw error;
      problems.push(error.message);
      return [];
    }
  });
  const names = pipelines.map(({ pipeline, version, namespace }) => `${namespace}/${pipeline} ${version}`);
  for (const name of new Set(names.filter((each, at) => names.indexOf(each) < at))) {
    problems.push(`two pipelines are called ${name}: change one's name or version`);
  }
  if (problems.length > 0) throw new ConfigurationError('the pipelines', problems);
  return pipelines;
};
