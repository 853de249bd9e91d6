import { S3Client } from '@aws-sdk/client-s3';

/** Where nobody says which region: S3 redirects from here to a bucket's own. */
const REGION = 'us-east-1';

/**
 * The region of the environment or of the profile, `AWS_DEFAULT_REGION` included, as other AWS tools have it. Public
 * buckets are read on machines that were never set up for AWS, so there is a region in any case.
 */
export const usualRegion = async (): Promise<string> => {
  const { AWS_REGION: region, AWS_DEFAULT_REGION: otherwise } = process.env;
  const named = region ?? otherwise ?? '';
  if (named !== '') return named;
  try {
    return await new S3Client({}).config.region();
  } catch {
    return REGION;
  }
};
