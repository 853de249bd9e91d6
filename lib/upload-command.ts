import type { Pipeline } from '../lambda/pipeline/definition/pipeline.ts';

/** The objects of a scene, as patterns of the AWS command line: every band's, and the trigger's. */
const patternsOf = ({ bands, trigger }: Pipeline): readonly string[] => {
  const paths = [...bands.map(({ path }) => path), trigger].filter((path) => path !== null);
  return (paths.length === 0 ? ['{scene}.tif', '{scene}.tiff'] : paths).map((path) =>
    path.replaceAll(/\{\w+\}/gu, '*'),
  );
};

/**
 * A command that uploads the scenes of a folder, and only what belongs to a scene.
 *
 * @param bucket its name, or a reference to it.
 */
export const uploadCommand = (pipelines: readonly Pipeline[], bucket: string, prefix: string): string => {
  const includes = [...new Set(pipelines.flatMap(patternsOf))].map((pattern) => `--include '${pattern}'`);
  return `aws s3 cp . s3://${bucket}/${prefix} --recursive --exclude '*' ${includes.join(' ')}`;
};
