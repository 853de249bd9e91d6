import type { FunctionName } from '../lambda/environment.ts';

/** What a statement may name. Which ARN each stands for is lib/resource-arns.ts's affair. */
export type ResourceName =
  | 'claims'
  | 'manifest'
  | 'unfinishedPlans'
  | 'manifestStream'
  | 'everyStream'
  | 'sourceBucket'
  | 'sourceObjects'
  | 'outputBucket'
  | 'tileObjects'
  | 'sceneObjects'
  | 'sceneQueue'
  | 'tileQueue'
  | 'assemblyQueue'
  | 'streamFailures'
  | 'ownLogs'
  | 'sourceKey'
  | 'outputKey'
  | 'networkInterfaces';

/** One Allow statement. */
export interface Grant {
  readonly sid: string;
  readonly actions: readonly string[];
  readonly on: readonly ResourceName[];
  /** Listing is held to these prefixes (a HEAD of an absent key names none, and must still be answered 404). */
  readonly listing?: 'source' | 'output';
  /** Why a resource of it ends in a star. A star that has no reason fails the synthesis. */
  readonly because?: string;
}

const underPrefix = 'object keys are not known before their upload; the star stands behind a fixed prefix';

const claim: Grant = { sid: 'Claim', actions: ['dynamodb:UpdateItem', 'dynamodb:GetItem'], on: ['claims'] };

const readSources: readonly Grant[] = [
  {
    sid: 'ReadSources',
    actions: ['s3:GetObject', 's3:GetObjectVersion'],
    on: ['sourceObjects'],
    because: underPrefix,
  },
  // Without it a HEAD of an object that is not there (a sibling not yet uploaded) is 403 and not 404.
  { sid: 'TellAbsentSources', actions: ['s3:ListBucket'], on: ['sourceBucket'], listing: 'source' },
  { sid: 'DecryptSources', actions: ['kms:Decrypt'], on: ['sourceKey'] },
];

const tellAbsentOutputs: Grant = {
  sid: 'TellAbsentOutputs',
  actions: ['s3:ListBucket'],
  on: ['outputBucket'],
  listing: 'output',
};
const encryptOutputs: Grant = {
  sid: 'EncryptOutputs',
  actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
  on: ['outputKey'],
};

/** SendMessage: a message that waits near its last receive is replaced by a copy of itself. */
const consume = (queue: 'sceneQueue' | 'tileQueue' | 'assemblyQueue'): Grant => ({
  sid: 'Consume',
  actions: [
    'sqs:ReceiveMessage',
    'sqs:DeleteMessage',
    'sqs:GetQueueAttributes',
    'sqs:ChangeMessageVisibility',
    'sqs:SendMessage',
  ],
  on: [queue],
});

/** Every function's own log, nothing else's; and network interfaces where it runs in a VPC. */
export const EVERY_FUNCTION: readonly Grant[] = [
  {
    sid: 'WriteLog',
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    on: ['ownLogs'],
    because: "the star stands for the streams of the function's own log group",
  },
  {
    sid: 'JoinVpc',
    actions: [
      'ec2:CreateNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DescribeSubnets',
      'ec2:DeleteNetworkInterface',
      'ec2:AssignPrivateIpAddresses',
      'ec2:UnassignPrivateIpAddresses',
    ],
    on: ['networkInterfaces'],
    because: 'network interfaces are made by Lambda and have no name before that',
  },
];

/**
 * What each function may do, and nothing else (docs/design.md, section 7: the deployed permissions are part of the
 * protocol). A grant on a resource that a deployment does not have (a key, a VPC) falls away.
 */
export const PERMISSIONS: Readonly<Record<FunctionName, readonly Grant[]>> = {
  'fan-out': [
    consume('sceneQueue'),
    ...readSources,
    claim,
    {
      sid: 'PlanScene',
      actions: ['dynamodb:PutItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem', 'dynamodb:Query'],
      on: ['manifest'],
    },
    // Of a scene that was planned before: is its item there?
    { sid: 'SeeItem', actions: ['s3:GetObject'], on: ['sceneObjects'], because: underPrefix },
    tellAbsentOutputs,
    { ...encryptOutputs, actions: ['kms:Decrypt'] },
    { sid: 'SendWork', actions: ['sqs:SendMessage'], on: ['tileQueue', 'assemblyQueue'] },
  ],
  tile: [
    consume('tileQueue'),
    ...readSources,
    claim,
    // GetItem: the row or the plan that stands in the way. UpdateItem: a plan that is superseded.
    { sid: 'RecordWindow', actions: ['dynamodb:PutItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem'], on: ['manifest'] },
    // GetObject: the look after a 412.
    { sid: 'WriteTile', actions: ['s3:PutObject', 's3:GetObject'], on: ['tileObjects'], because: underPrefix },
    tellAbsentOutputs,
    encryptOutputs,
    { sid: 'RingAgain', actions: ['sqs:SendMessage'], on: ['sceneQueue'] },
  ],
  count: [
    {
      sid: 'ReadStream',
      actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
      on: ['manifestStream'],
    },
    {
      sid: 'ListStreams',
      actions: ['dynamodb:ListStreams'],
      on: ['everyStream'],
      because: 'ListStreams knows no resource; it names streams and shows nothing of what is in them',
    },
    { sid: 'CountRows', actions: ['dynamodb:GetItem', 'dynamodb:Query'], on: ['manifest'] },
    { sid: 'SendAssembly', actions: ['sqs:SendMessage'], on: ['assemblyQueue'] },
    { sid: 'ReportFailedBatches', actions: ['sqs:SendMessage'], on: ['streamFailures'] },
  ],
  assemble: [
    consume('assemblyQueue'),
    claim,
    { sid: 'ReadManifest', actions: ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem'], on: ['manifest'] },
    { sid: 'ReadTiles', actions: ['s3:GetObject'], on: ['tileObjects'], because: underPrefix },
    {
      sid: 'WriteScene',
      actions: ['s3:PutObject', 's3:GetObject', 's3:AbortMultipartUpload'],
      on: ['sceneObjects'],
      because: underPrefix,
    },
    tellAbsentOutputs,
    encryptOutputs,
    { sid: 'RingAgain', actions: ['sqs:SendMessage'], on: ['sceneQueue'] },
  ],
  reap: [
    { sid: 'SeeClaims', actions: ['dynamodb:GetItem'], on: ['claims'] },
    { sid: 'FindPlans', actions: ['dynamodb:Scan'], on: ['unfinishedPlans'] },
    { sid: 'WalkPlans', actions: ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem'], on: ['manifest'] },
    // The scene queue: a plan of other code's pixels is planned again.
    { sid: 'SendWork', actions: ['sqs:SendMessage'], on: ['tileQueue', 'assemblyQueue', 'sceneQueue'] },
  ],
};
