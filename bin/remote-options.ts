import type { Command } from 'commander';
import type { RemoteOptions } from '../lambda/local/remote-sources.ts';
import { UsageError } from './exit-code.ts';

export interface RemoteFlags {
  readonly anonymous?: boolean;
  readonly requesterPays?: boolean;
}

/** The options that say how scenes in S3 are asked for. */
export const addRemoteOptions = (command: Command): Command =>
  command
    .option('--anonymous', 's3:// scenes are public: requests are not signed')
    .option('--requester-pays', 's3:// scenes whose bucket charges its readers: your account pays');

/** @throws UsageError where the options contradict each other. */
export const remoteOptionsOf = ({ anonymous = false, requesterPays = false }: RemoteFlags): RemoteOptions => {
  if (anonymous && requesterPays) {
    throw new UsageError('--anonymous and --requester-pays contradict each other', {
      remedy: 'a bucket that charges its readers must know who they are: leave --anonymous out',
    });
  }
  return { anonymous, requesterPays };
};
