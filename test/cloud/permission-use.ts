import { FUNCTIONS, type FunctionName } from '../../lambda/environment.ts';
import { EVERY_FUNCTION, type Grant, PERMISSIONS } from '../../lib/permissions.ts';
import type { Deployed } from './deploy-command.ts';
import { neededBy } from './recorded-calls.ts';
import type { RecordedCall } from './recording-proxy.ts';

/** `tile: s3:PutObject on tileObjects` */
export type Permission = string;

const spelt = (name: FunctionName, action: string, on: string): Permission => `${name}: ${action} on ${on}`;

const speltOf = (name: FunctionName, { actions, on }: Grant): Permission[] =>
  actions.flatMap((action) => on.map((resource) => spelt(name, action, resource)));

const grantedTo = (name: FunctionName): Permission[] =>
  [...EVERY_FUNCTION, ...PERMISSIONS[name]].flatMap((grant) => speltOf(name, grant));

/** What the functions' recorded calls needed, and what of it nobody grants them. */
export const usedPermissions = (
  calls: readonly RecordedCall[],
  { sourceBucket, outputBucket, claims, manifest, queues }: Deployed,
): { readonly all: ReadonlySet<Permission>; readonly notGranted: readonly Permission[] } => {
  const names = {
    sourceBucket,
    outputBucket,
    claims,
    manifest,
    sourcePrefix: 'scenes/',
    queues: { sceneQueue: queues.scenes, tileQueue: queues.tiles, assemblyQueue: queues.assemblies },
  };
  const all = new Set<Permission>();
  for (const call of calls) {
    const { caller } = call;
    if (caller === null) continue;
    for (const { action, on } of neededBy(call, names)) all.add(spelt(caller, action, on));
  }
  const granted = new Set(FUNCTIONS.flatMap(grantedTo));
  return { all, notGranted: [...all].filter((permission) => !granted.has(permission)) };
};

/** Granted, and not used in a run that uses everything else: each with the reason why it is needed all the same. */
const REASONS: readonly (readonly [RegExp, reason: string])[] = [
  [/ on (?:ownLogs|networkInterfaces|manifestStream|everyStream|streamFailures)$/u, 'called by Lambda itself'],
  [/: sqs:(?:ReceiveMessage|DeleteMessage|GetQueueAttributes) on /u, 'called by Lambda’s poller'],
  [/ on (?:sourceKey|outputKey)$/u, 'called by S3 for a deployment that has a key; this one has none'],
  [/^tile: s3:GetObject on sourceObjects$/u, 'a bucket without versions is read by ETag alone'],
  [/^tile: s3:ListBucket on (?:sourceBucket|outputBucket)$/u, 'the look after a 412 where the object is gone by then'],
  [/^fan-out: s3:ListBucket on outputBucket$/u, 'a finished scene rings again whose item was deleted by hand'],
  [
    /^(?:fan-out: sqs:SendMessage on sceneQueue|tile: sqs:SendMessage on tileQueue|assemble: sqs:SendMessage on assemblyQueue)$/u,
    'a message that waits for a live lease near its last receive',
  ],
  [/^reap: sqs:SendMessage on sceneQueue$/u, 'an open plan that code of other pixels made, and no window of it comes'],
  [
    /^(?:fan-out|tile|assemble): dynamodb:GetItem on claims$/u,
    'a refusal that shows no row: an operator purged it just then',
  ],
];

/** Reasons that are about no grant (any more). */
export const idleReasons = (): string[] => {
  const granted = FUNCTIONS.flatMap(grantedTo);
  return REASONS.filter(([pattern]) => !granted.some((permission) => pattern.test(permission))).map(([, why]) => why);
};

/** Grants that the run did not use and that no reason stands for. */
export const unusedGrants = (used: ReadonlySet<Permission>): Permission[] =>
  FUNCTIONS.flatMap(grantedTo)
    .filter((permission) => !used.has(permission))
    .filter((permission) => !REASONS.some(([pattern]) => pattern.test(permission)));
