import { S3SourceStore } from '../../../lambda/engines/aws/source-store.ts';
import type { PlannedSource } from '../../../lambda/identity/plan.ts';
import { type Received, type Reply, answeringServer } from './answering-server.ts';
import { testS3 } from './test-clients.ts';

/** An object's bytes. */
export const scene = new Uint8Array(300_000).map((_, index) => (index * 7 + (index >> 8)) & 255);
const SHA = 'a'.repeat(64);
/** The SHA-256 that S3 tells of `scene`, base64. */
export const checksum = Buffer.from(SHA, 'hex').toString('base64');

/** `scene` as it was planned. */
export const planned: PlannedSource = {
  bucket: 'scenes',
  key: 'L2A/a b+é.tif',
  versionToken: SHA,
  etag: 'planned',
  versionId: null,
  bytes: scene.length,
};

/** What a HEAD of `scene` is answered. */
export const headReply = (headers: Readonly<Record<string, string>> = {}): Reply => ({
  headers: {
    etag: '"planned"',
    'content-length': String(scene.length),
    'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
    'x-amz-checksum-sha256': checksum,
    'x-amz-checksum-type': 'FULL_OBJECT',
    ...headers,
  },
});

/** A source store whose S3 answers by a function. */
export const serving = async (
  answer: (request: Received, nth: number) => Reply,
  options: { requesterPays?: boolean; maxAttempts?: number } = {},
) => {
  const server = await answeringServer(answer);
  let [bytes, requests] = [0, 0];
  const store = new S3SourceStore({
    client: testS3(server.endpoint, options.maxAttempts),
    requesterPays: options.requesterPays ?? false,
    onRead: (more, calls) => {
      bytes += more;
      requests += calls;
    },
  });
  return { server, store, counted: () => ({ bytes, requests }) };
};
