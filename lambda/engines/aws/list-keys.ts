import { ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
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
  const keys: string[] = [];
  let token: string | undefined;
  do {
    const from = token;
    try {
      const page = await client.send(
        new ListObjectsV2Command({
          Bucket: bucket,
          Prefix: prefix,
          ...(from === undefined ? {} : { ContinuationToken: from }),
          ...(requesterPays === true ? { RequestPayer: 'requester' } : {}),
        }),
      );
      for (const { Key: key = '' } of page.Contents ?? []) if (key !== '' && !key.endsWith('/')) keys.push(key);
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    } catch (error) {
      throw explained(s3Uri(bucket, prefix), error);
    }
  } while (token !== undefined);
  return keys;
};
