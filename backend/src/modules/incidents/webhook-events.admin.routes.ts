import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { defineRoute, idParams, ok, type Route } from '../../platform/http/index.ts';
import { adminAccess } from '../admins/index.ts';
import { listEvents, type EventFilter } from '../webhook-inbox/index.ts';
import { readEvent, type ReadEventDeps } from './read-event.ts';
import { replayEvent, type ReplayDeps } from './replay-event.ts';
import {
  presentEvent,
  webhookEventDetail,
  webhookEventPage,
  webhookEventsQuery,
} from './webhook-events.schemas.ts';

export type WebhookEventDeps = ReadEventDeps & ReplayDeps & { readonly clock: Clock };

const waitingStatuses = ['PENDING', 'UNMATCHED', 'UNREADABLE'] as const;
/**
 * The period in ms of a list of applied or ignored events, if the request names no start. It is limited,
 * because there are many such events.
 */
const defaultListMs = 7 * 24 * 60 * 60_000;

type Query = Omit<EventFilter, 'statuses'> & {
  readonly status?: NonNullable<EventFilter['statuses']>[number] | undefined;
};

/** Returns true if the query names a subject, a payment or a customer, which have few events. */
const namesSubject = ({ subject, gatewayPaymentId, userId }: Query): boolean =>
  subject !== undefined || gatewayPaymentId !== undefined || userId !== undefined;

const filterOf = ({ status, ...query }: Query, now: Date): EventFilter => {
  if (namesSubject(query)) return { ...query, ...(status !== undefined && { statuses: [status] }) };
  if (status === undefined) return { ...query, statuses: waitingStatuses };
  const isDone = status === 'APPLIED' || status === 'IGNORED';
  const from = query.from ?? (isDone ? addMs(now, -defaultListMs) : undefined);
  return { ...query, statuses: [status], from };
};

/** Declares `/webhook-events` of the admin API (contract: incidents > Stored events). */
export const createWebhookEventAdminRoutes = (deps: WebhookEventDeps): Route[] => {
  const shared = { tags: ['incidents'], access: adminAccess('SUPER_ADMIN', 'ADMIN') };
  return [
    defineRoute({
      method: 'GET',
      path: '/webhook-events',
      summary: 'Webhook events, newest first. The default is events that are not applied',
      query: webhookEventsQuery,
      responses: { 200: webhookEventPage },
      ...shared,
      handler: async ({ query: { page, limit, ...query } }) => {
        const filter = filterOf(query, deps.clock.now());
        const { rows, total } = await listEvents(deps.db, filter, { page, limit });
        return ok({ items: rows.map(presentEvent), total, page, limit });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/webhook-events/:id',
      summary: 'One webhook event with its masked body',
      params: idParams,
      responses: { 200: webhookEventDetail },
      errors: ['NOT_FOUND'],
      ...shared,
      handler: async ({ params }) => ok(await readEvent(deps, params.id)),
    }),
    defineRoute({
      method: 'POST',
      path: '/webhook-events/:id/replay',
      summary: 'Queue a webhook event, so that the worker applies it now',
      params: idParams,
      responses: { 200: webhookEventDetail },
      errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION'],
      ...shared,
      handler: async ({ params: { id }, principal, context }) => {
        await replayEvent(deps, id, { principal, context });
        return ok(await readEvent(deps, id));
      },
    }),
  ];
};
