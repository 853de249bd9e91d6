import { existsSync } from 'node:fs';
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

/**
 * Functions that open sources need tables which are no code and are not read at every start: any EPSG code, each in its
 * small file, and the names in user-defined GeoKeys. They lie beside the module, where its `require` finds them.
 */
const OPENS_SOURCES: readonly FunctionName[] = ['fan-out', 'tile'];
const TABLES: Readonly<Record<string, readonly string[]>> = {
  'epsg-index': ['package.json', 's'],
  'geotiff-geokeys-to-proj4': ['package.json', 'main-dist.js'],
  // Optional: 170 KB of WebAssembly, read where a source is WebP.
  '@jsquash/webp': ['package.json', 'codec/dec'],
};

/** Ways to credentials that no function goes: its own stand in the environment. Lambda's runtime has them all the same. */
const OTHER_CREDENTIALS = ['ini', 'login', 'process', 'sso', 'web-identity'].map(
  (kind) => `@aws-sdk/credential-provider-${kind}`,
);

/** Decoders that the TIFF library brings for DEFLATE and ZSTD and that Node's own stand in for: 200 KB that never run. */
const NATIVE_CODECS = ['pako', 'zstddec/stream', 'zstddec'];
const NO_CODEC = `${packageFolder}lambda/raster/source/no-codec.ts`;

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
  externalModules: OTHER_CREDENTIALS,
  esbuildArgs: Object.fromEntries(NATIVE_CODECS.map((codec) => [`--alias:${codec}`, NO_CODEC])),
  banner: "import{createRequire as bundleRequire}from'node:module';const require=bundleRequire(import.meta.url);",
  commandHooks: {
    beforeBundling: () => [],
    beforeInstall: () => [],
    afterBundling: (_from: string, to: string) => [
      ...(OPENS_SOURCES.includes(name) ? copyTables(to) : []),
      ...(pipelines === null ? [] : [writeText(pipelines, `${to}/${PIPELINES_FILE}`)]),
    ],
  },
});

const copyTables = (to: string): string[] =>
  Object.entries(TABLES)
    .filter(([name]) => existsSync(`${packageFolder}node_modules/${name}`))
    .flatMap(([name, parts]) =>
      parts.flatMap((part) => {
        const target = dirname(`${to}/node_modules/${name}/${part}`);
        return [`mkdir -p '${target}'`, `cp -R '${packageFolder}node_modules/${name}/${part}' '${target}'`];
      }),
    );

/** Base64 passes every shell untouched. */
const writeText = (text: string, file: string): string =>
  `node -e "require('fs').writeFileSync(process.argv[1],Buffer.from(process.argv[2],'base64'))" '${file}' '${Buffer.from(text).toString('base64')}'`;
