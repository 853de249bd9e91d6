/**
 * Transforms modules that assign to `import.meta.url` where it is missing. It never is, but the assignment has no
 * translation to CommonJS, which jest runs: it is left out.
 */
const { createTransformer } = require('@swc/jest');

module.exports = {
  createTransformer(options) {
    const { process: translate } = createTransformer(options);
    const without = (source) => source.replaceAll(/import\.meta\.url\s*=(?!=)\s*"[^"]*"/g, '');
    return { process: (source, path, request) => translate(without(source), path, request) };
  },
};
