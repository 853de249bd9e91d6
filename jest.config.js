/** Packages published as ES modules only: jest runs CommonJS, so they go through the transformer. */
const esModulesOnly = [
  'geotiff',
  'quick-lru',
  'canonicalize',
  'fast-png',
  'iobuffer',
  'fflate',
  'd3-[a-z-]+',
  'internmap',
  'epsg-index',
  'geotiff-geokeys-to-proj4',
  'jsep',
  'commander',
  'mgrs',
  'proj4',
  'wkt-parser',
  'xml-utils',
  'zstddec',
  'lerc',
  '@jsquash/webp',
];

const toCommonJs = { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } };

const project = (displayName, testMatch) => ({
  displayName,
  testEnvironment: 'node',
  testMatch,
  transform: {
    '/node_modules/@jsquash/.+\\.js$': ['<rootDir>/test/support/assigned-import-meta.cjs', toCommonJs],
    '^.+\\.(ts|js|mjs)$': ['@swc/jest', toCommonJs],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esModulesOnly.join('|')})/)`],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json'],
});

/** A suite a kind of test, told by the file's ending: `.test.ts` needs nothing but this checkout. */
const suite = (name, ending) => project(name, [`<rootDir>/test/**/*.${ending}.ts`]);

export default {
  projects: [
    suite('unit', 'test'),
    suite('process', 'process'),
    suite('oracle', 'oracle'),
    suite('cloud', 'cloud'),
    suite('sim', 'sim'),
  ],
};
