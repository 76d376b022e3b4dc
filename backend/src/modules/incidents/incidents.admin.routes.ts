import type { Route } from '../../platform/http/index.ts';
import { createJobAdminRoutes, type JobRouteDeps } from './jobs.admin.routes.ts';
import {
  createOpenPaymentAdminRoutes,
  type OpenPaymentDeps,
} from './open-payments.admin.routes.ts';
import {
  createWebhookEventAdminRoutes,
  type WebhookEventDeps,
} from './webhook-events.admin.routes.ts';

/** Declares the routes for incidents, which are those of stored events, jobs and open payments. */
export const createIncidentAdminRoutes = (
  deps: WebhookEventDeps & JobRouteDeps & OpenPaymentDeps,
): Route[] => [
  ...createWebhookEventAdminRoutes(deps),
  ...createJobAdminRoutes(deps),
  ...createOpenPaymentAdminRoutes(deps),
];
