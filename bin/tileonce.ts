#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// Compiled code is kept between runs (half of a short run is loading); worker threads find the cache by the variable.
const { directory } = enableCompileCache();
if (directory !== undefined) process.env['NODE_COMPILE_CACHE'] ??= directory;

const { main } = await import('./main.ts');
await main();
