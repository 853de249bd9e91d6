import { SourceError, StoreUnavailableError } from '../../errors.ts';
import { asStoreError, failureOf, isForbidden, isTransient, isUnauthenticated } from './errors.ts';

/** What a failing read of a source is thrown as: the store is down, or this object cannot be had. */
export const explained = (name: string, error: unknown): unknown => {
  if (error instanceof SourceError) return error;
  if (isTransient(error)) {
    const failure = failureOf(error);
    return new StoreUnavailableError(
      `${name} could not be read (${failure.name}, HTTP ${failure.status ?? 'no reply'})`,
      { remedy: 'it is tried again when the message comes back', cause: error },
    );
  }
  const [trait, remedy] = unreadable(error);
  if (trait !== null) return new SourceError(name, trait, { remedy, cause: error });
  return asStoreError(error, `${name} could not be read`);
};

const unreadable = (error: unknown): [trait: string | null, remedy: string] => {
  const { name, status } = failureOf(error);
  if (name === 'InvalidObjectState') return ['it is archived', 'restore it to a class that can be read at once'];
  if (name === 'NoSuchBucket') return ['there is no such bucket', 'check the name'];
  if (name === 'PermanentRedirect' || status === 301) return ['its bucket is in another region', 'run in that region'];
  if (name === 'CredentialsProviderError') {
    return [
      'there are no AWS credentials to read it with',
      'set AWS_PROFILE, or read a public bucket with --anonymous',
    ];
  }
  if (isForbidden(error) && !isUnauthenticated(error)) {
    return [
      'access to it is denied',
      'grant s3:GetObject, s3:GetObjectVersion and s3:ListBucket on it, and kms:Decrypt on its key where it has one; ' +
        'where the bucket charges its readers, turn requester pays on',
    ];
  }
  return [null, ''];
};
