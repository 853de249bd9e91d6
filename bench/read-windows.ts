import { openFile } from '../lambda/engines/embedded/file-ranges.ts';
import { PixelMemoryLender } from '../lambda/raster/pixel-memory.ts';
import { openSource } from '../lambda/raster/source/open-source.ts';
import type { PixelRect } from '../lambda/raster/types.ts';

/** As long-lived as a worker's. */
const lender = new PixelMemoryLender();

/** Opens a file and reads every band of its windows, one after another; returns the samples that were read. */
export const readWindows = async (path: string, windows: readonly PixelRect[]): Promise<number> => {
  await using reader = await openFile(path);
  const source = await openSource(reader);
  const bands = Array.from({ length: source.bandCount }, (_, i) => i + 1);
  let samples = 0;
  for (const window of windows) {
    // As a worker reads: into memory that its windows pass on.
    using memory = lender.lend();
    for (const pixels of await source.readWindow(bands, window, 0, { memory })) samples += pixels.length;
  }
  source.close();
  return samples;
};
