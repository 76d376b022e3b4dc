import type { Route } from '../../platform/http/index.ts';
import { createJobRoutes, type JobRouteDeps } from './jobs.admin.routes.ts';
import { createOpenPaymentRoutes, type OpenPaymentDeps } from './open-payments.admin.routes.ts';
import { createWebhookEventRoutes, type WebhookEventDeps } from './webhook-events.admin.routes.ts';

/** Declares the work on incidents: stored events, jobs and open payments. */
export const createIncidentRoutes = (
  deps: WebhookEventDeps & JobRouteDeps & OpenPaymentDeps,
): Route[] => [
  ...createWebhookEventRoutes(deps),
  ...createJobRoutes(deps),
  ...createOpenPaymentRoutes(deps),
];
