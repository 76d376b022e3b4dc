import { defineVariables, type Config } from '../../../platform/config/config.ts';
import { httpUrl, integer, secret, text } from '../../../platform/config/kinds.ts';

/** The variables of AWS KMS. */
export const awsKmsVariables = defineVariables({
  AWS_KMS_REGION: { schema: text(), doc: 'region of the key' },
  AWS_KMS_KEY_ID: { schema: text(), doc: 'id, ARN or alias of the symmetric key' },
  AWS_KMS_BASE_URL: {
    schema: httpUrl().optional(),
    doc: "address of KMS; the region's own unless given, as for a VPC endpoint",
  },
  AWS_KMS_ACCESS_KEY_ID: {
    schema: text().optional(),
    doc: "access key id; without one the SDK's default chain, workload identity among it",
  },
  AWS_KMS_SECRET_ACCESS_KEY: {
    schema: secret().optional(),
    doc: 'secret of that access key',
    secret: true,
  },
  AWS_KMS_TIMEOUT_MS: {
    schema: integer(5000, 100, 60_000),
    doc: 'limit of one call to KMS in milliseconds',
  },
});

export type AwsKmsConfig = Config<typeof awsKmsVariables>;
