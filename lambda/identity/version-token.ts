/** What a HEAD says of an object's version. */
export interface VersionFacts {
  readonly etag: string;
  /** Base64 SHA-256 checksum, where the object has one. */
  readonly checksumSha256?: string | undefined;
  readonly checksumType?: 'FULL_OBJECT' | 'COMPOSITE' | undefined;
}

/** An ETag without its quotes (and without a weakness mark); opaque. */
export const bareEtag = (etag: string): string => etag.replace(/^W\//, '').replaceAll('"', '');

/**
 * What changes when the object's bytes change: its SHA-256 where S3 has one over the full object (as lower-case hex),
 * else its ETag. A composite checksum depends on the part sizes, so it is no better than the ETag.
 */
export const versionToken = (facts: VersionFacts): string => {
  const { checksumSha256, checksumType } = facts;
  if (checksumSha256 === undefined || checksumType === 'COMPOSITE' || checksumSha256.includes('-')) {
    return bareEtag(facts.etag);
  }
  return Buffer.from(checksumSha256, 'base64').toString('hex');
};

/** The version `null` is replaced in place, so it pins nothing: no version at all. */
export const realVersionId = (versionId: string | undefined): string | null =>
  versionId === undefined || versionId === '' || versionId === 'null' ? null : versionId;
