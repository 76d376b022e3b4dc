import { createCustomerClient, type CustomerClient } from '@digital-gold/client';
import type { IngressEndpoint } from '../cluster.types.ts';
import { sendRequest } from './send-request.ts';

const timeoutMs = 15_000;

/**
 * Creates a client of the customer API that reaches it at the ingress's address. Each request has a
 * new connection. The client only reads: it sends no body.
 */
export const createIngressClient = (endpoint: IngressEndpoint): CustomerClient =>
  createCustomerClient({
    baseUrl: `http://${endpoint.host}`,
    timeoutMs,
    async fetch({ url, headers }) {
      const { pathname, search } = new URL(url);
      const path = `${pathname}${search}`;
      const sent = { ...endpoint, path, headers: Object.fromEntries(headers), timeoutMs };
      const { status, headers: answered, text } = await sendRequest(sent);
      const kept = Object.entries(answered).map(([name, value]) => [name, String(value)]);
      return new Response(text, { status, headers: Object.fromEntries(kept) });
    },
  });
