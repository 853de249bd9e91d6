import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BundlingOptions, OutputFormat, SourceMapMode } from 'aws-cdk-lib/aws-lambda-nodejs';
import { type FunctionName, PIPELINES_FILE } from '../lambda/environment.ts';

const packageFolder = fileURLToPath(new URL('..', import.meta.url));
const lockFile = `${packageFolder}package-lock.json`;

/** Where a function's code is, and where its imports are resolved from. */
export const codeOf = (name: FunctionName) => ({
  entry: `${packageFolder}lambda/${name}/handler.ts`,
  handler: 'handler',
  projectRoot: packageFolder,
  // A published package carries no lock file; any file of the folder does, as nothing is installed while bundling.
  depsLockFilePath: existsSync(lockFile) ? lockFile : `${packageFolder}package.json`,
});

/** Functions that open sources: they look up any EPSG code, each in its small file of this package. */
const OPENS_SOURCES: readonly FunctionName[] = ['fan-out', 'tile'];
const CODE_TABLE = 'epsg-index';

/**
 * One ES module a function, the SDK inside. Packages that are still CommonJS need a `require`, which such a module lacks.
 * The source map lies beside the module and is not read by Node: it is for whoever reads a stack trace.
 *
 * @param pipelines text for the file beside the module, where it does not fit into a variable.
 */
export const bundling = (name: FunctionName, pipelines: string | null): BundlingOptions => ({
  format: OutputFormat.ESM,
  target: 'node24',
  mainFields: ['module', 'main'],
  minify: true,
  sourceMap: true,
  sourceMapMode: SourceMapMode.EXTERNAL,
  sourcesContent: false,
  bundleAwsSDK: true,
  banner: "import{createRequire as bundleRequire}from'node:module';const require=bundleRequire(import.meta.url);",
  commandHooks: {
    beforeBundling: () => [],
    beforeInstall: () => [],
    afterBundling: (_from: string, to: string) => [
      ...(OPENS_SOURCES.includes(name) ? copyCodeTable(to) : []),
      ...(pipelines === null ? [] : [writeText(pipelines, `${to}/${PIPELINES_FILE}`)]),
    ],
  },
});

/** Beside the module, where its `require` finds it. */
const copyCodeTable = (to: string): string[] => {
  const from = dirname(createRequire(import.meta.url).resolve(`${CODE_TABLE}/package.json`));
  const target = `${to}/node_modules/${CODE_TABLE}`;
  return [`mkdir -p '${target}'`, `cp -R '${from}/package.json' '${from}/s' '${target}'`];
};

/** Base64 passes every shell untouched. */
const writeText = (text: string, file: string): string =>
  `node -e "require('fs').writeFileSync(process.argv[1],Buffer.from(process.argv[2],'base64'))" '${file}' '${Buffer.from(text).toString('base64')}'`;
