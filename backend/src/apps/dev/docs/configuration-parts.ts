import { ciVariables } from '../../../adapters/ci/ci.config.ts';
import { githubVariables } from '../../../adapters/ci/github/github.config.ts';
import { goldProviderVariables } from '../../../adapters/gold-provider/gold-provider.config.ts';
import { safegoldVariables } from '../../../adapters/gold-provider/safegold/safegold.config.ts';
import { filesystemVariables } from '../../../adapters/object-store/filesystem/filesystem.config.ts';
import { objectStoreVariables } from '../../../adapters/object-store/object-store.config.ts';
import { paymentGatewayVariables } from '../../../adapters/payment-gateway/payment-gateway.config.ts';
import { sandboxGatewayVariables } from '../../../adapters/payment-gateway/sandbox/sandbox-gateway.config.ts';
import { payoutProviderVariables } from '../../../adapters/payout-provider/payout-provider.config.ts';
import { razorpayxVariables } from '../../../adapters/payout-provider/razorpayx/razorpayx.config.ts';
import { msg91Variables } from '../../../adapters/sms/msg91/msg91.config.ts';
import { smsVariables } from '../../../adapters/sms/sms.config.ts';
import type { VariableTable } from '../../../platform/config/config.ts';
import { adminVariables } from '../../admin/admin.variables.ts';
import { migrateVariables } from '../../migrate/migrate.variables.ts';
import { apiVariables, processVariables } from '../../runtime/process.variables.ts';
import { tradeVariables } from '../../runtime/trade.variables.ts';
import { sandboxVariables } from '../../sandbox/sandbox.variables.ts';
import { workerVariables } from '../../worker/worker.variables.ts';

/** Variables that are read together, and by whom. */
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
  { title: 'APIs', readBy: 'customer, admin, accounting', variables: apiVariables },
  { title: 'Admin API', readBy: 'admin', variables: adminVariables },
  { title: 'Worker', readBy: 'worker', variables: workerVariables },
  { title: 'Allocation', readBy: 'customer, admin, worker', variables: tradeVariables },
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
    title: 'Payout provider',
    readBy: 'customer, admin, worker',
    variables: { ...payoutProviderVariables, ...razorpayxVariables },
  },
  { title: 'SMS', readBy: 'customer', variables: { ...smsVariables, ...msg91Variables } },
  {
    title: 'Object store',
    readBy: 'customer',
    variables: { ...objectStoreVariables, ...filesystemVariables },
  },
  { title: 'CI', readBy: 'admin', variables: { ...ciVariables, ...githubVariables } },
  { title: 'Migrations', readBy: 'migrate', variables: migrateVariables },
  { title: 'Sandbox', readBy: 'sandbox, never in production', variables: sandboxVariables },
];
