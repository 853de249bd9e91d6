import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs a Python program that has GDAL at hand. It gets `input` as JSON in `sys.argv[1]`; what it prints as JSON is returned. */
export async function gdalPython(program: string, input: unknown): Promise<unknown> {
  const { stdout } = await run('/usr/bin/python3', ['-W', 'ignore', '-c', program, JSON.stringify(input)], {
    maxBuffer: 2 ** 28,
  });
  const parsed: unknown = JSON.parse(stdout);
  return parsed;
}
