import type { CommandEnd } from './command.ts';

/** What a run says on its way: what it planned, and how far it is. */
const PROGRESS = /^(scene \S+: .*(windows|planned again)|\d+\/\d+ windows,)|^  (mosaic|item) /;

/** Every line on stderr but the progress and the good ends; a stack trace shows up here line by line. */
export const faultsOf = ({ stderr }: CommandEnd): string[] =>
  stderr.split('\n').filter((line) => line !== '' && !PROGRESS.test(line));
