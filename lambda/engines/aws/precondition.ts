import { failureOf } from './errors.ts';

/**
 * What a refused conditional request means: `failed` (412), `conflict` (409: not "present", but "ask again"), `absent`
 * (404 on If-Match: there is nothing to match). Null where the request failed for another reason.
 *
 * By name and, where the reply reached us nameless, by status.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
 */
export const refusalOf = (error: unknown): 'failed' | 'conflict' | 'absent' | null => {
  const { name, status } = failureOf(error);
  if (name === 'NoSuchBucket' || name === 'NoSuchUpload') return null;
  if (name === 'PreconditionFailed' || status === 412) return 'failed';
  if (name === 'ConditionalRequestConflict' || name === 'OperationAborted' || status === 409) return 'conflict';
  if (name === 'NoSuchKey' || status === 404) return 'absent';
  return null;
};
