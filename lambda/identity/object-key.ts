/** How an envelope spells object keys: S3 notifications URL-encode them (`+` is a space), EventBridge does not. */
export type KeyEncoding = 'url-encoded' | 'plain';

/**
 * The real key of an object, decoded once, at the edge.
 *
 * @throws URIError where an encoded key holds a broken percent sequence.
 */
export const decodeObjectKey = (rawKey: string, encoding: KeyEncoding): string =>
  encoding === 'plain' ? rawKey : decodeURIComponent(rawKey.replaceAll('+', ' '));
