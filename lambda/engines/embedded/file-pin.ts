import type { BigIntStats } from 'node:fs';

/**
 * What tells one state of a file from another without reading it. Plain data for messages and plans: inode and times
 * (ns since the epoch) are decimal text, because they outgrow a double.
 */
export interface FilePin {
  readonly device: string;
  readonly inode: string;
  /** Bytes. */
  readonly size: number;
  readonly mtimeNs: string;
  /** The inode's own time of change, which no program can set back. */
  readonly ctimeNs: string;
}

export const pinOf = (stats: BigIntStats): FilePin => ({
  device: String(stats.dev),
  inode: String(stats.ino),
  size: Number(stats.size),
  mtimeNs: String(stats.mtimeNs),
  ctimeNs: String(stats.ctimeNs),
});

export const samePin = (a: FilePin, b: FilePin): boolean =>
  a.device === b.device &&
  a.inode === b.inode &&
  a.size === b.size &&
  a.mtimeNs === b.mtimeNs &&
  a.ctimeNs === b.ctimeNs;

/**
 * How long a file must have been at rest before what is known of it may be trusted, ms. A write within the same tick
 * of the file system's clock leaves the times as they were (git calls such an entry racily clean); FAT ticks every 2 s.
 */
const RACY_MS = 2_000;

/** True where a write to the file after `at` (ms since the epoch) would surely show in its times. */
export const atRest = (pin: FilePin, at: number): boolean => {
  const modified = Number(pin.mtimeNs) / 1e6;
  const changed = Number(pin.ctimeNs) / 1e6;
  // A modification time in the future was set by hand; the time of change still moves with every write.
  const last = modified > at ? changed : Math.max(modified, changed);
  return at - last > RACY_MS;
};
