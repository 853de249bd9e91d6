import { z } from 'zod';
import { UNFINISHED_INDEX } from '../../lambda/engines/aws/manifest-items.ts';
import type { ResourceName } from '../../lib/permissions.ts';
import type { ProxiedCall } from './recording-proxy.ts';

/** What a call needs to be allowed: `s3:PutObject` on `tileObjects`. */
export interface NeededPermission {
  readonly action: string;
  readonly on: ResourceName;
}

/** The names that a deployment gave to what the grants name. */
export interface DeployedNames {
  readonly claims: string;
  readonly manifest: string;
  readonly sourceBucket: string;
  readonly outputBucket: string;
  readonly sourcePrefix: string;
  readonly queues: Readonly<Record<'sceneQueue' | 'tileQueue' | 'assemblyQueue', string>>;
}

/** A call that no grant can be found for: the functions must not make it. */
export class UnknownCallError extends Error {
  constructor({ caller, method, path, headers }: ProxiedCall, why: string) {
    super(`${caller ?? 'somebody'} called ${method} ${path} (${String(headers['x-amz-target'] ?? 's3')}): ${why}`);
    this.name = 'UnknownCallError';
  }
}

const onTable = z.object({ TableName: z.string(), IndexName: z.string().optional() });
const onQueue = z.object({ QueueUrl: z.string() });

/** SQS's batches have no permission of their own. */
const QUEUE_ACTIONS: Readonly<Record<string, string>> = {
  SendMessageBatch: 'SendMessage',
  DeleteMessageBatch: 'DeleteMessage',
  ChangeMessageVisibilityBatch: 'ChangeMessageVisibility',
};

/**
 * What IAM asks of a call, by the service authorization reference. An object that is not there is answered 404 only to
 * who may list its bucket, so such a call needs that as well.
 *
 * @throws UnknownCallError where an action or a resource is none that a grant could name.
 */
export const neededBy = (call: ProxiedCall & { readonly status: number }, names: DeployedNames): NeededPermission[] => {
  const target = call.headers['x-amz-target'];
  if (typeof target !== 'string') return neededOfS3(call, names);
  const [service = '', operation = ''] = target.split('.');
  const body: unknown = JSON.parse(call.body.toString('utf8'));
  if (service.startsWith('DynamoDB_')) {
    const { TableName: table, IndexName: index } = onTable.parse(body);
    const name = (['claims', 'manifest'] as const).find((one) => names[one] === table);
    // An index is a resource of its own.
    const on =
      index === undefined ? name : name === 'manifest' && index === UNFINISHED_INDEX ? 'unfinishedPlans' : null;
    if (on === undefined || on === null) throw new UnknownCallError(call, `table ${table}, index ${index ?? 'none'}`);
    return [{ action: `dynamodb:${operation}`, on }];
  }
  if (service === 'AmazonSQS') {
    const { QueueUrl: url } = onQueue.parse(body);
    const on = (['sceneQueue', 'tileQueue', 'assemblyQueue'] as const).find((name) => names.queues[name] === url);
    if (on === undefined) throw new UnknownCallError(call, `queue ${url}`);
    return [{ action: `sqs:${QUEUE_ACTIONS[operation] ?? operation}`, on }];
  }
  throw new UnknownCallError(call, 'no service that the functions use');
};

const neededOfS3 = (call: ProxiedCall & { readonly status: number }, names: DeployedNames): NeededPermission[] => {
  const [, bucket = '', ...rest] = call.path.split('/');
  const key = decodeURIComponent(rest.join('/'));
  const isSource = bucket === names.sourceBucket;
  if (!isSource && bucket !== names.outputBucket) throw new UnknownCallError(call, `bucket ${bucket}`);
  const bucketItself = isSource ? 'sourceBucket' : 'outputBucket';
  if (key === '') return [{ action: 's3:ListBucket', on: bucketItself }];
  const on = objectsAt(key, isSource, names);
  if (on === null) throw new UnknownCallError(call, `an object outside of what is granted`);
  const needed: NeededPermission[] = [{ action: objectAction(call), on }];
  if (call.status === 404 && /^(?:GET|HEAD)$/u.test(call.method)) {
    needed.push({ action: 's3:ListBucket', on: bucketItself });
  }
  return needed;
};

const objectsAt = (key: string, isSource: boolean, names: DeployedNames): ResourceName | null => {
  if (isSource) return key.startsWith(names.sourcePrefix) ? 'sourceObjects' : null;
  if (key.startsWith('tiles/')) return 'tileObjects';
  return key.startsWith('scenes/') ? 'sceneObjects' : null;
};

const objectAction = (call: ProxiedCall): string => {
  const { method, query } = call;
  if (method === 'GET' || method === 'HEAD') return query.has('versionId') ? 's3:GetObjectVersion' : 's3:GetObject';
  // Parts, and an upload's beginning and completion, are PutObject too.
  if (method === 'PUT' || method === 'POST') return 's3:PutObject';
  if (method === 'DELETE') return query.has('uploadId') ? 's3:AbortMultipartUpload' : 's3:DeleteObject';
  throw new UnknownCallError(call, 'no method that the functions use');
};

/**
 * True where the output bucket's policy would refuse the call: it creates an object (a PUT, or an upload's completion;
 * parts and an upload's beginning create none) and carries no precondition.
 */
export const isUnconditionalWrite = ({ method, query, headers }: ProxiedCall): boolean => {
  const creates = query.has('uploadId') ? method === 'POST' : method === 'PUT';
  return creates && headers['if-none-match'] === undefined && headers['if-match'] === undefined;
};
