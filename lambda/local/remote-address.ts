import { TileonceError } from '../errors.ts';
import { locateUrl } from '../engines/aws/http-source-store.ts';

/** Where something of a remote scene is. */
export interface RemoteAddress {
  readonly kind: 's3' | 'web';
  /** What messages carry to find the source store again: `s3://bucket`, or a web server's scheme and host. */
  readonly location: string;
  /** The bucket as identities know it: S3's own, or the location of a web server. */
  readonly bucket: string;
  /** The object's key; empty, or with a slash at its end: everything below it. */
  readonly key: string;
}

/** The source stores that a location can name. */
export type LocationKind = 'file' | RemoteAddress['kind'];

const SCHEME = /^([a-z][a-z0-9+.-]+):\/\//i;

/** Which kind of store a message's location, or a scene's address, names. A path has no scheme. */
export const kindOfLocation = (location: string): LocationKind => {
  const scheme = SCHEME.exec(location)?.[1]?.toLowerCase();
  if (scheme === 's3') return 's3';
  return scheme === 'http' || scheme === 'https' ? 'web' : 'file';
};

/**
 * Reads the address of a remote scene; null where it is a path. An `s3://` address holds the key as it is, not
 * percent-encoded, as AWS's own tools have it; a URL's path is kept as URLs spell it.
 *
 * A query is refused: it would be hashed into the job's identity and be written into ledger and STAC item, and that of a
 * signed URL is a secret that expires.
 *
 * @throws TileonceError for another scheme, no bucket, a query, or credentials in the URL.
 */
export const parseAddress = (text: string): RemoteAddress | null => {
  const scheme = SCHEME.exec(text)?.[1];
  if (scheme === undefined) return null;
  const kind = kindOfLocation(text);
  if (kind === 's3') return s3Address(text);
  if (kind === 'web') return webAddress(text);
  throw new TileonceError(`${text}: ${scheme}:// is not read`, {
    remedy: 'name a file, a folder, s3://bucket/key or an https:// URL',
  });
};

const s3Address = (text: string): RemoteAddress => {
  const [bucket = '', ...rest] = text.slice('s3://'.length).split('/');
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    throw new TileonceError(`${text}: "${bucket}" is no name of a bucket`, { remedy: 'write s3://bucket/key' });
  }
  return { kind: 's3', location: `s3://${bucket}`, bucket, key: rest.join('/') };
};

/** Members of a query that signs it: AWS, Google, CloudFront, Azure, and bearer tokens. */
const SIGNATURE = /[?&](x-amz-[^=]*|x-goog-[^=]*|signature|sig|awsaccesskeyid|key-pair-id|(access_)?token|api_?key)=/i;

const webAddress = (text: string): RemoteAddress => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw new TileonceError(`${text} is no URL`, { remedy: 'check the address' });
  // From here on only origin and path are shown: the rest may be a secret.
  const shown = `${url.origin}${url.pathname}`;
  if (url.username !== '' || url.password !== '') {
    throw new TileonceError(`${shown}: a URL with a user name is not read`, {
      remedy: 'use an open URL, or download it and run on the file',
    });
  }
  if (url.search !== '') {
    const signed = SIGNATURE.test(url.search);
    throw new TileonceError(`${shown}: a URL with a ${signed ? 'signature' : 'query'} is not read`, {
      remedy: `${signed ? 'use the s3:// address or' : 'use'} an open URL without it, or download it and run on the file`,
    });
  }
  const { bucket, key } = locateUrl(shown);
  return { kind: 'web', location: bucket, bucket, key };
};
