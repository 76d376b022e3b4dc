import { createWebhookInbox } from '../webhook-inbox/index.ts';
import { createPaymentEventHandler } from './payment-events.ts';
import { createPaymentCustomerRoutes } from './payments.customer.routes.ts';
import type { PaymentsDeps } from './payments.types.ts';
import { createPaymentWebhookRoutes } from './payments.webhook.routes.ts';
import { createPaymentSweeps } from './payments.sweeps.ts';
import { createPaymentJobs } from './payments.jobs.ts';

/**
 * Creates the routes, webhooks, jobs and sweeps of payments. Other modules call the functions of
 * payments, which take the same `PaymentsDeps`.
 */
export const createPayments = (deps: PaymentsDeps) => {
  const inbox = createWebhookInbox(deps, createPaymentEventHandler(deps));
  return {
    customerRoutes: [
      ...createPaymentCustomerRoutes(deps),
      ...createPaymentWebhookRoutes({ ...deps, inbox }),
    ],
    jobs: createPaymentJobs(inbox),
    sweeps: createPaymentSweeps(deps, inbox),
  };
};
