import { StoreUnavailableError, TileonceError } from '../../errors.ts';

/**
 * What is told of a failed call: an error name and an HTTP status. Never `instanceof`: two copies of the SDK may be
 * loaded, and some S3 replies reach the caller as a bare Error with nothing but a status.
 */
export interface Failure {
  readonly name: string;
  /** Null where no reply came. */
  readonly status: number | null;
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && name in value ? Reflect.get(value, name) : undefined;

/** The SDK wraps an error of another realm (a worker's, a sandbox's) and leaves its name in the message alone. */
const WRAPPED = /^AWS SDK error wrapper for (\w+):/;

/** Reads name and status off whatever a client threw. Node's own errors go by their `code`. */
export const failureOf = (error: unknown): Failure => {
  const response = member(error, '$response');
  const status = member(member(error, '$metadata'), 'httpStatusCode') ?? member(response, 'statusCode');
  return { name: nameOf(error), status: typeof status === 'number' ? status : null };
};

const nameOf = (error: unknown): string => {
  const [name, message, code] = [member(error, 'name'), member(error, 'message'), member(error, 'code')];
  if (typeof name === 'string' && !PLAIN_NAMES.has(name)) return name;
  const wrapped = typeof message === 'string' ? WRAPPED.exec(message)?.[1] : undefined;
  if (wrapped !== undefined) return wrapped;
  return typeof code === 'string' ? code : 'Error';
};

const PLAIN_NAMES = new Set(['', 'Error', 'SystemError', 'AggregateError']);

/** True for the named error, or for a nameless one (a bare Error, `412`, `UnknownError`) of this status. */
export const isFailure = (error: unknown, name: string, status: number): boolean => {
  const failure = failureOf(error);
  if (failure.name === name) return true;
  return failure.status === status && isNameless(failure);
};

const isNameless = ({ name, status }: Failure): boolean =>
  name === 'Error' || name === 'Unknown' || name === 'UnknownError' || name === String(status);

/** Throttled, after the SDK's own retries. The services share these names. */
const THROTTLED = new Set([
  'BandwidthLimitExceeded',
  'LimitExceededException',
  'OverLimit',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'KMS.ThrottlingException',
]);

/** No reply, or half of one. */
const NETWORK = new Set([
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ETIMEDOUT',
  'IncompleteBodyError',
  'InternalError',
  'InternalFailure',
  'InternalServerError',
  'RequestTimeout',
  'RequestTimeoutException',
  'ServiceUnavailable',
  'TimeoutError',
  'UND_ERR_SOCKET',
]);

const ACCESS = 'grant the role what the deployment lists for this function, on this resource';
const CREDENTIALS = 'check the credentials and the clock of this machine';
const MISSING = 'check the name and the region: the store was deleted or never deployed';

/** The store answers, but not to us: as down as down, until someone mends it. */
const REFUSED: Readonly<Record<string, string>> = {
  AccessDenied: ACCESS,
  AccessDeniedException: ACCESS,
  Forbidden: ACCESS,
  'KMS.AccessDeniedException': ACCESS,
  'KMS.DisabledException': 'enable the KMS key',
  KMSAccessDeniedException: ACCESS,
  CredentialsProviderError: CREDENTIALS,
  ExpiredToken: CREDENTIALS,
  ExpiredTokenException: CREDENTIALS,
  InvalidAccessKeyId: CREDENTIALS,
  InvalidClientTokenId: CREDENTIALS,
  RequestTimeTooSkewed: CREDENTIALS,
  SignatureDoesNotMatch: CREDENTIALS,
  UnrecognizedClientException: CREDENTIALS,
  NoSuchBucket: MISSING,
  PermanentRedirect: MISSING,
  QueueDoesNotExist: MISSING,
  'AWS.SimpleQueueService.NonExistentQueue': MISSING,
  ResourceNotFoundException: MISSING,
};

/** True where asking again later may well be answered: throttling, timeouts, the network, 5xx. */
export const isTransient = (error: unknown): boolean => {
  const { name, status } = failureOf(error);
  return THROTTLED.has(name) || NETWORK.has(name) || status === 429 || (status !== null && status >= 500);
};

/** True where access was refused. A HEAD's 403 has no body and so no name. */
export const isForbidden = (error: unknown): boolean => {
  const { name, status } = failureOf(error);
  return REFUSED[name] === ACCESS || status === 403;
};

/** True where the caller is not known: no credentials, wrong or expired ones, a wrong clock. */
export const isUnauthenticated = (error: unknown): boolean => REFUSED[failureOf(error).name] === CREDENTIALS;

/**
 * What a failed call on a store is thrown as: StoreUnavailableError where the store is out of reach, exhausted or
 * closed to us (docs/design.md, section 4: fail closed); the error itself where it is ours already, or a defect.
 *
 * @param what names the store and the step: `the claims table could not be written`.
 */
export const asStoreError = (error: unknown, what: string): unknown => {
  if (error instanceof TileonceError) return error;
  const { name, status } = failureOf(error);
  const told = `${what} (${name}${status === null ? '' : `, HTTP ${status}`})`;
  if (isTransient(error)) {
    return new StoreUnavailableError(told, { remedy: 'it is tried again when the message comes back', cause: error });
  }
  const remedy = REFUSED[name] ?? (isForbidden(error) ? ACCESS : undefined);
  return remedy === undefined ? error : new StoreUnavailableError(told, { remedy, cause: error });
};

/** Runs one call on a store; failures come out as `asStoreError` has them. */
export const onStore = async <T>(what: string, call: () => Promise<T>): Promise<T> => {
  try {
    return await call();
  } catch (error) {
    throw asStoreError(error, what);
  }
};
