import { describe, expect, it } from '@jest/globals';
import { asStoreError, failureOf, isFailure, isTransient } from '../../../lambda/engines/aws/errors.ts';
import { refusalOf } from '../../../lambda/engines/aws/precondition.ts';
import { StoreUnavailableError, TileonceError } from '../../../lambda/errors.ts';

const failure = (name: string, status?: number, members: object = {}): Error =>
  Object.assign(
    new Error('told'),
    { name, ...(status === undefined ? {} : { $metadata: { httpStatusCode: status } }) },
    members,
  );

describe('a failed call', () => {
  it.each([
    ['a named failure', failure('SlowDown', 503), { name: 'SlowDown', status: 503 }],
    ['a bare error with a status', failure('Error', 412), { name: 'Error', status: 412 }],
    [
      'a reply without metadata',
      failure('Error', undefined, { $response: { statusCode: 409 } }),
      { name: 'Error', status: 409 },
    ],
    ['a system error', failure('Error', undefined, { code: 'ECONNRESET' }), { name: 'ECONNRESET', status: null }],
    [
      'an error of another realm',
      new Error('AWS SDK error wrapper for TimeoutError: socket hang up'),
      { name: 'TimeoutError', status: null },
    ],
    ['no error at all', 'oops', { name: 'Error', status: null }],
  ])('is read by name and status: %s', (_, error, told) => {
    expect(failureOf(error)).toEqual(told);
  });

  it.each(['SlowDown', 'ThrottlingException', 'TimeoutError', 'ECONNREFUSED', 'InternalError', 'ENOTFOUND'])(
    'named %s is the store being down',
    (name) => {
      const error = failure(name);
      const thrown = asStoreError(error, 'the table could not be read');
      expect(thrown).toBeInstanceOf(StoreUnavailableError);
      expect(thrown).toMatchObject({ message: `the table could not be read (${name})`, cause: error });
    },
  );

  it.each([500, 502, 503, 504, 429])('of status %d is the store being down, whatever its name', (status) => {
    expect(isTransient(failure('Whatever', status))).toBe(true);
  });

  it.each([
    ['AccessDeniedException', 400, /grant/],
    ['ExpiredToken', 400, /credentials/],
    ['ResourceNotFoundException', 400, /region/],
    ['403', 403, /grant/],
  ])('named %s is a store closed to us, with a remedy', (name, status, remedy) => {
    expect(asStoreError(failure(name, status), 'it')).toMatchObject({
      name: 'StoreUnavailableError',
      remedy: expect.stringMatching(remedy),
    });
  });

  it('that is a defect, or ours already, is not dressed up', () => {
    const defect = failure('ValidationException', 400);
    const ours = new TileonceError('too large');
    expect([asStoreError(defect, 'it'), asStoreError(ours, 'it')]).toEqual([defect, ours]);
  });

  it('is taken by its status only where it has no name', () => {
    expect(isFailure(failure('Error', 404), 'NotFound', 404)).toBe(true);
    expect(isFailure(failure('404', 404), 'NotFound', 404)).toBe(true);
    expect(isFailure(failure('NoSuchBucket', 404), 'NotFound', 404)).toBe(false);
  });
});

describe('a refused precondition', () => {
  it.each([
    ['PreconditionFailed', 412, 'failed'],
    ['Error', 412, 'failed'],
    ['ConditionalRequestConflict', 409, 'conflict'],
    ['Error', 409, 'conflict'],
    ['NoSuchKey', 404, 'absent'],
    ['NoSuchBucket', 404, null],
    ['NoSuchUpload', 404, null],
    ['AccessDenied', 403, null],
    ['SlowDown', 503, null],
  ])('%s (HTTP %d) means %s', (name, status, meaning) => {
    expect(refusalOf(failure(name, status))).toBe(meaning);
  });
});
