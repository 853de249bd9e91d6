import { enableCompileCache } from 'node:module';

/**
 * A scene's assembly in a process of its own: rows, gap check, mosaic, preview, item. What an earlier one made has been
 * taken away.
 */
export interface AssembleJob {
  readonly out: string;
  readonly sceneJobId: string;
  /** Where a V8 profile goes, or null. */
  readonly profile: string | null;
}

// Compiled code is kept between runs, as bin/tileonce.ts keeps it: it is loaded after this.
enableCompileCache();
const { runAssembly } = await import('./assembly.ts');
console.log(JSON.stringify(await runAssembly(process.argv[2] ?? '')));
