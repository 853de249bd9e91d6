import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Compiles assembly/ into kernels.wasm.ts, which is committed, so that nobody but who changes a kernel needs a compiler.
// With --check: ends with 1 where the committed module is not what the sources compile to.

const SOURCES = fileURLToPath(new URL('assembly/index.ts', import.meta.url));
const MODULE = fileURLToPath(new URL('kernels.wasm.ts', import.meta.url));
const COMPILER = fileURLToPath(new URL('../../../node_modules/assemblyscript/bin/asc.js', import.meta.url));
/** Pages of 64 KB that the module begins with. */
const PAGES = 16;

/** The module's text as its sources have it now. */
const compiled = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'tileonce-kernels-'));
  try {
    const file = join(folder, 'kernels.wasm');
    const options = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--initialMemory', String(PAGES)];
    execFileSync(process.execPath, [COMPILER, SOURCES, ...options, '--outFile', file], { stdio: 'inherit' });
    const lines =
      readFileSync(file)
        .toString('base64')
        .match(/.{1,110}/g) ?? [];
    const body = lines.map((line) => `  '${line}',\n`).join('');
    return `/** Compiled from assembly/ by \`npm run kernels\`: a WebAssembly module, base64. */\nexport const KERNELS = [\n${body}].join('');\n`;
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const text = compiled();
if (!process.argv.includes('--check')) writeFileSync(MODULE, text);
else if (readFileSync(MODULE, 'utf8') !== text) {
  console.error('lambda/raster/kernels/kernels.wasm.ts is not what assembly/ compiles to: npm run kernels');
  process.exitCode = 1;
}
