import type { ProxiedCall, ProxiedReply } from './recording-proxy.ts';
import { ConnectionCut } from './recording-proxy.ts';
import { sentBy } from './faults.ts';

export const SERVICES = ['S3', 'DynamoDB', 'SQS'] as const;
export type Service = (typeof SERVICES)[number];

/** Before: the service never sees the call, or sees it late. After: what it does is done, and the caller is told otherwise, or late. */
export type Side = 'before' | 'after';

/** The errors that each service answers a client with that did nothing wrong, with their HTTP status. */
const ERRORS = {
  S3: { SlowDown: 503, InternalError: 500, ConditionalRequestConflict: 409 },
  DynamoDB: { ProvisionedThroughputExceededException: 400, ThrottlingException: 400, InternalServerError: 500 },
  SQS: { RequestThrottled: 400, ThrottlingException: 400, InternalError: 500 },
} as const satisfies Record<Service, Readonly<Record<string, number>>>;

/** Something that goes wrong with one call. `error`: the caller is answered so. */
export type StormFault = {
  readonly service: Service;
  readonly side: Side;
} & (
  | { readonly kind: 'delayed' | 'held past its timeout' | 'cut' | 'cut in the middle' | 'carried out twice' }
  | { readonly kind: 'error'; readonly code: string; readonly status: number }
);

/** `DynamoDB: ThrottlingException after` */
export const labelOf = (fault: StormFault): string =>
  `${fault.service}: ${fault.kind === 'error' ? fault.code : fault.kind} ${fault.side}`;

const SIDES: readonly Side[] = ['before', 'after'];

const faultsOf = (service: Service): StormFault[] => [
  ...SIDES.flatMap((side): StormFault[] => [
    { service, side, kind: 'delayed' },
    { service, side, kind: 'cut' },
    ...Object.entries(ERRORS[service]).map(([code, status]): StormFault => ({
      service,
      side,
      kind: 'error',
      code,
      status,
    })),
  ]),
  { service, side: 'after', kind: 'cut in the middle' },
  // Clients of objects wait for as long as something moves: only a row's or a message's call is given up.
  ...(service === 'S3' ? [] : [{ service, side: 'before', kind: 'held past its timeout' } as const]),
  ...(service === 'SQS' ? [{ service, side: 'after', kind: 'carried out twice' } as const] : []),
];

/** Every fault that there is. */
export const STORM_FAULTS: readonly StormFault[] = SERVICES.flatMap(faultsOf);

export const serviceOf = ({ headers }: ProxiedCall): Service => {
  const target = headers['x-amz-target'];
  if (typeof target !== 'string') return 'S3';
  return target.startsWith('AmazonSQS') ? 'SQS' : 'DynamoDB';
};

const READS = /\.(?:GetItem|Query|Scan|BatchGetItem)$/u;

/** True for a call that changes something: only there does it matter on which side of the effect it fails. */
export const hasEffect = ({ method, headers }: ProxiedCall): boolean => {
  const target = headers['x-amz-target'];
  return typeof target === 'string' ? !READS.test(target) : /^(?:PUT|POST|DELETE)$/u.test(method);
};

const isConditional = ({ headers }: ProxiedCall): boolean =>
  headers['if-none-match'] !== undefined || (headers['if-match'] !== undefined && headers['range'] === undefined);

/** True where a fault can happen to this call. */
export const canStrike = (fault: StormFault, call: ProxiedCall): boolean => {
  if (fault.service !== serviceOf(call)) return false;
  // The emulator does nothing else while it hands out the stream, so the count is never kept for long.
  if (fault.kind === 'held past its timeout') return call.caller !== 'count';
  if (fault.kind === 'carried out twice') return sentBy(call) !== null;
  if (fault.kind === 'cut in the middle') return fault.service === 'S3' ? call.method === 'GET' : true;
  if (fault.kind === 'error' && fault.status === 409) return hasEffect(call) && isConditional(call);
  return fault.side === 'before' || fault.kind === 'delayed' || hasEffect(call);
};

/** What a service says of an error, in its own protocol. */
const errorReply = (service: Service, code: string, status: number): ProxiedReply => {
  const isXml = service === 'S3';
  const text = isXml
    ? `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>stormy</Message></Error>`
    : JSON.stringify({ __type: `com.amazonaws.${service.toLowerCase()}#${code}`, message: 'stormy' });
  const type = isXml ? 'application/xml' : 'application/x-amz-json-1.0';
  const body = Buffer.from(text);
  return { status, headers: { 'content-type': type, 'content-length': String(body.length) }, body };
};

/** Lets a fault happen to a call. @param delayMs how long a delay is. @throws ConnectionCut where there is no reply. */
export const strike = async (
  fault: StormFault,
  delayMs: number,
  forward: () => Promise<ProxiedReply>,
  pause: (ms: number) => Promise<void>,
): Promise<ProxiedReply> => {
  if (fault.kind === 'delayed' || fault.kind === 'held past its timeout') {
    if (fault.side === 'before') await pause(delayMs);
    const reply = await forward();
    if (fault.side === 'after') await pause(delayMs);
    return reply;
  }
  const reply = fault.side === 'after' ? await forward() : null;
  if (fault.kind === 'error') return errorReply(fault.service, fault.code, fault.status);
  if (reply === null || fault.kind === 'cut') throw new ConnectionCut(labelOf(fault));
  if (fault.kind === 'carried out twice') return forward();
  return { ...reply, cutAfter: Math.floor(reply.body.length / 2) };
};
