import { ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import { objectPages } from './list-objects.ts';
import { explained } from './source-failure.ts';
import { s3Uri } from './s3-ranges.ts';

export interface ListKeysParts {
  readonly client: Pick<S3Client, 'send'>;
  /** The reader's account pays for requests. */
  readonly requesterPays?: boolean;
}

/**
 * Every key under a prefix, in S3's order (UTF-8 bytes), folder markers left out. One request a thousand keys.
 *
 * @throws SourceError where the bucket may not be listed or is not there; StoreUnavailableError.
 */
export const listKeys = async (
  { client, requesterPays }: ListKeysParts,
  bucket: string,
  prefix: string,
): Promise<string[]> => {
  const payer = requesterPays === true ? { RequestPayer: 'requester' as const } : {};
  const pages = objectPages(async (next) => {
    try {
      return await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ...next, ...payer }));
    } catch (error) {
      throw explained(s3Uri(bucket, prefix), error);
    }
  });
  const keys: string[] = [];
  for await (const page of pages) {
    for (const { Key: key = '' } of page.Contents ?? []) if (key !== '' && !key.endsWith('/')) keys.push(key);
  }
  return keys;
};
