import { createHash } from 'node:crypto';
import { type Received, type Reply, rangeReply, s3Failure } from '../engines/aws/answering-server.ts';

/** Objects by path: of a web server `/a/b.tif`, of S3 `/bucket/a/b.tif`. */
export type ServedObjects = ReadonlyMap<string, Uint8Array>;

const pathOf = ({ path }: Received): string => decodeURIComponent(new URL(path, 'http://host').pathname);

const etagOf = (bytes: Uint8Array): string => `"${createHash('md5').update(bytes).digest('hex')}"`;

/** Answers as a web server or S3 would: HEAD, ranged GETs held to If-Match, and a list of a bucket's keys. */
export const serveObjects =
  (objects: ServedObjects) =>
  (request: Received): Reply => {
    const query = new URL(request.path, 'http://host').searchParams;
    if (query.get('list-type') === '2') return listing(objects, pathOf(request), query.get('prefix') ?? '');
    const bytes = objects.get(pathOf(request));
    if (bytes === undefined) return request.method === 'HEAD' ? { status: 404 } : s3Failure(404, 'NoSuchKey');
    const etag = etagOf(bytes);
    const match = request.headers['if-match'];
    if (match !== undefined && match !== etag) return s3Failure(412, 'PreconditionFailed');
    const headers = { etag, 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' };
    if (request.method === 'HEAD') return { headers: { ...headers, 'content-length': String(bytes.length) } };
    return rangeReply(request, bytes, headers);
  };

const listing = (objects: ServedObjects, bucketPath: string, prefix: string): Reply => {
  const folder = bucketPath.endsWith('/') ? bucketPath : `${bucketPath}/`;
  const keys = [...objects.keys()].flatMap((path) => (path.startsWith(folder) ? [path.slice(folder.length)] : []));
  const contents = keys.filter((key) => key.startsWith(prefix)).map((key) => `<Contents><Key>${key}</Key></Contents>`);
  return { body: `<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>` };
};
