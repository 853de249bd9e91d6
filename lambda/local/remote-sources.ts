import { systemClock } from '../clock.ts';
import { HttpSourceStore } from '../engines/aws/http-source-store.ts';
import type { SourceStore } from '../pipeline/source-store.ts';

/** How buckets are asked; of the run, and not of the work: neither enters an identity, a plan or a message. */
export interface RemoteOptions {
  /** Unsigned requests, for public buckets. */
  readonly anonymous: boolean;
  /** The caller's account pays for requests and transfer, where a bucket charges its readers. */
  readonly requesterPays: boolean;
}

export const NO_REMOTE_OPTIONS: RemoteOptions = { anonymous: false, requesterPays: false };

/** Called with every read: bytes received, and requests made. */
export type OnRead = (bytes: number, requests: number) => void;

export interface RemoteStores {
  readonly s3: SourceStore;
  readonly web: SourceStore;
  /** Every object below a prefix that is a file, in order of key. Asks S3 as it is iterated. */
  readonly listKeys: (bucket: string, prefix: string) => Promise<string[]>;
}

/**
 * The stores of remote scenes. The AWS SDK is loaded by the first use of a bucket, because a run on files should not wait
 * for it.
 */
export const remoteStores = (options: RemoteOptions, onRead: OnRead): RemoteStores => {
  let loading: Promise<{ store: SourceStore; list: RemoteStores['listKeys'] }> | null = null;
  const load = () => (loading ??= s3Stores(options, onRead));
  return {
    s3: {
      look: async (bucket, key) => (await load()).store.look(bucket, key),
      open: async (source) => (await load()).store.open(source),
    },
    web: new HttpSourceStore({ fetch, clock: systemClock, onRead }),
    listKeys: async (bucket, prefix) => (await load()).list(bucket, prefix),
  };
};

const s3Stores = async ({ anonymous, requesterPays }: RemoteOptions, onRead: OnRead) => {
  const { s3Client } = await import('../engines/aws/clients.ts');
  const { S3SourceStore } = await import('../engines/aws/source-store.ts');
  const { listKeys } = await import('../engines/aws/list-keys.ts');
  const { usualRegion } = await import('../engines/aws/usual-region.ts');
  const client = s3Client({ region: usualRegion, anonymous });
  return {
    store: new S3SourceStore({ client, requesterPays, onRead }),
    list: (bucket: string, prefix: string) => listKeys({ client, requesterPays }, bucket, prefix),
  };
};
