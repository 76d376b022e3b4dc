import { ciVariables } from '../../src/adapters/ci/create-ci.ts';
import { githubVariables } from '../../src/adapters/ci/github/github.config.ts';
import { goldProviderVariables } from '../../src/adapters/gold-provider/create-gold-provider.ts';
import { safegoldVariables } from '../../src/adapters/gold-provider/safegold/safegold.config.ts';
import { filesystemVariables } from '../../src/adapters/object-store/filesystem/filesystem.config.ts';
import { awsKmsVariables } from '../../src/adapters/key-service/aws-kms/aws-kms.config.ts';
import { keyServiceVariables } from '../../src/adapters/key-service/create-key-service.ts';
import { vaultTransitVariables } from '../../src/adapters/key-service/vault-transit/vault-transit.config.ts';
import { objectStoreVariables } from '../../src/adapters/object-store/create-object-store.ts';
import { s3Variables } from '../../src/adapters/object-store/s3/s3.config.ts';
import { paymentGatewayVariables } from '../../src/adapters/payment-gateway/create-payment-gateways.ts';
import { cashfreeVariables } from '../../src/adapters/payment-gateway/cashfree/cashfree.config.ts';
import { razorpayVariables } from '../../src/adapters/payment-gateway/razorpay/razorpay.config.ts';
import { sandboxGatewayVariables } from '../../src/adapters/payment-gateway/sandbox/sandbox-gateway.config.ts';
import { payoutProviderVariables } from '../../src/adapters/payout-provider/create-payout-provider.ts';
import { razorpayxVariables } from '../../src/adapters/payout-provider/razorpayx/razorpayx.config.ts';
import { msg91Variables } from '../../src/adapters/sms/msg91/msg91.config.ts';
import { smsVariables } from '../../src/adapters/sms/create-sms-gateway.ts';
import type { VariableTable } from '../../src/platform/config/config.ts';
import { adminVariables } from '../../src/apps/admin/admin.variables.ts';
import { customerVariables } from '../../src/apps/customer/customer.variables.ts';
import { migrateVariables } from '../../src/apps/migrate/migrate.variables.ts';
import {
  apiVariables,
  approvalVariables,
  staffVariables,
  processVariables,
  tokenVariables,
  servicesVariables,
} from '../../src/runtime/process.variables.ts';
import { sandboxVariables } from '../../src/apps/sandbox/sandbox.variables.ts';
import { workerVariables } from '../../src/apps/worker/worker.variables.ts';

/** Variables that the same processes read. */
export interface ConfigurationPart {
  readonly title: string;
  readonly readBy: string;
  readonly variables: VariableTable;
}

/** Every table of variables. */
export const configurationParts: readonly ConfigurationPart[] = [
  {
    title: 'Every process',
    readBy: 'customer, admin, accounting, worker',
    variables: processVariables,
  },
  { title: 'Tokens', readBy: 'customer, admin', variables: tokenVariables },
  { title: 'APIs', readBy: 'customer, admin, accounting', variables: apiVariables },
  {
    title: 'Staff',
    readBy: 'admin, accounting',
    variables: { ...staffVariables, ...approvalVariables },
  },
  { title: 'Customer API', readBy: 'customer', variables: customerVariables },
  { title: 'Admin API', readBy: 'admin', variables: adminVariables },
  { title: 'Worker', readBy: 'worker', variables: workerVariables },
  { title: 'Allocation', readBy: 'customer, admin, worker', variables: servicesVariables },
  {
    title: 'Gold provider',
    readBy: 'customer, admin, worker',
    variables: { ...goldProviderVariables, ...safegoldVariables },
  },
  {
    title: 'Payment gateways',
    readBy: 'customer, admin, worker',
    variables: paymentGatewayVariables,
  },
  {
    title: 'Payment gateway `sandbox`',
    readBy: 'customer, admin, worker, where `PAYMENT_GATEWAYS` names it',
    variables: sandboxGatewayVariables,
  },
  {
    title: 'Payment gateway `cashfree`',
    readBy: 'customer, admin, worker, where `PAYMENT_GATEWAYS` names it',
    variables: cashfreeVariables,
  },
  {
    title: 'Payment gateway `razorpay`',
    readBy: 'customer, admin, worker, where `PAYMENT_GATEWAYS` names it',
    variables: razorpayVariables,
  },
  {
    title: 'Payout provider',
    readBy: 'customer, admin, worker',
    variables: { ...payoutProviderVariables, ...razorpayxVariables },
  },
  {
    title: 'Key service',
    readBy: 'customer, admin, accounting, worker, operator',
    variables: keyServiceVariables,
  },
  {
    title: 'Key service `aws-kms`',
    readBy: 'customer, admin, accounting, worker, operator, where `KEY_SERVICE` names it',
    variables: awsKmsVariables,
  },
  {
    title: 'Key service `vault-transit`',
    readBy: 'customer, admin, accounting, worker, operator, where `KEY_SERVICE` names it',
    variables: vaultTransitVariables,
  },
  { title: 'SMS', readBy: 'customer', variables: { ...smsVariables, ...msg91Variables } },
  {
    title: 'Object store',
    readBy: 'customer, admin, worker',
    variables: { ...objectStoreVariables, ...filesystemVariables },
  },
  {
    title: 'Object store on S3',
    readBy: 'customer, admin, worker, where `OBJECT_STORE` is `s3`',
    variables: s3Variables,
  },
  { title: 'CI', readBy: 'admin, worker', variables: { ...ciVariables, ...githubVariables } },
  { title: 'Migrations', readBy: 'migrate', variables: migrateVariables },
  { title: 'Sandbox', readBy: 'sandbox, never in production', variables: sandboxVariables },
];
