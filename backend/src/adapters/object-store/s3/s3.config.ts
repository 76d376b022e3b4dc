import { defineVariables, type Config } from '../../../platform/config/config.ts';
import { httpUrl, integer, secret, text } from '../../../platform/config/kinds.ts';

/** The variables of an S3-compatible store. */
export const s3Variables = defineVariables({
  S3_BASE_URL: {
    schema: httpUrl(),
    doc: 'address of the S3-compatible server; buckets are addressed by path',
  },
  S3_REGION: {
    schema: text().default('us-east-1'),
    doc: 'region of the bucket, as its server names it',
  },
  S3_BUCKET: {
    schema: text(),
    doc: 'bucket of the objects; unversioned, since a version would outlive a deletion',
  },
  S3_ACCESS_KEY_ID: {
    schema: text().optional(),
    doc: 'access key id with read, write, delete and list; without it the default chain of AWS decides',
  },
  S3_SECRET_ACCESS_KEY: {
    schema: secret().optional(),
    doc: 'secret of that access key, needed with it',
    secret: true,
  },
  S3_TIMEOUT_MS: {
    schema: integer(10000, 100, 60000),
    doc: 'limit of one call to the S3 server in milliseconds',
  },
});

export type S3Config = Config<typeof s3Variables>;
