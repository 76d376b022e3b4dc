import type { ApiClient } from '@digital-gold/client';

/*
 * The routes that the demo calls of the sandbox and the accounting API. Neither has an OpenAPI
 * document, so their types are written here in its form.
 */

interface Success<Body> {
  responses: { 200: { content: { 'application/json': Body } } };
}

interface Sends<Input> {
  requestBody: { content: { 'application/json': Input } };
}

interface Finds<Query> {
  parameters: { query: Query };
}

interface Names {
  parameters: { path: { id: string } };
}

interface NamesPeriod {
  parameters: { path: { period: string } };
}

/** A page of a register, with the sums of its whole filter. */
interface RegisterPage {
  items: { orderId: string; status: string }[];
  total: number;
  totals: { amountPaise: number; gstPaise: number };
}

type Empty = { requestBody?: undefined; responses: { 204: { content?: never } } };

/** The form in which a customer pays at the sandbox's checkout. */
export interface CheckoutPayment {
  outcome: 'captured';
  method: 'upi';
  deliver: 'webhook' | 'duplicate' | 'none';
  amountPaise?: number;
}

interface SandboxPaths {
  '/_control/sms': {
    get: Finds<{ phone: string }> & Success<{ messages: { phone: string; otp?: string | null }[] }>;
  };
  '/_control/payments/{id}': {
    post: Names &
      Sends<CheckoutPayment> &
      Success<{ gateway_payment_id: string; signature: string }>;
  };
  '/_control/faults': {
    post: Sends<{
      collaborator: string;
      operation: string;
      fault: 'error' | 'wrong_amount';
      status?: number;
    }> & { responses: { 201: { content: { 'application/json': { id: string } } } } };
    delete: Success<{ faults: never[] }>;
  };
  '/_control/clock': {
    post: Sends<{ advanceSeconds: number }> & Success<{ now: string; offsetSeconds: number }>;
  };
  '/_control/refunds/{id}': {
    post: Names & Sends<Record<string, never>> & Success<{ reference: string }>;
  };
  '/_control/disputes/{id}': {
    post: Names & Sends<Record<string, never>> & Success<{ reference: string }>;
  };
  '/_control/journal': {
    get: Finds<{ collaborator: string; operation: string }> &
      Success<{ entries: { idempotencyKey?: string }[] }>;
  };
  '/_control/transactions': {
    get: Success<{ items: { txId: number; grams: string; status: number }[] }>;
  };
  '/_control/payouts': {
    get: Success<{ items: { referenceId: string | null; amountPaise: number; status: string }[] }>;
  };
}

interface AccountingPaths {
  '/api/v1/accounting/health': { get: Success<{ status: string }> };
  '/api/v1/accounting/auth/login': {
    post: Sends<{ email: string; password: string }> &
      Success<{ token: string; user: { id: string } }>;
  };
  '/api/v1/accounting/auth/me': {
    get: Success<{ email: string; role: string; permissions: string[] }>;
  };
  '/api/v1/accounting/auth/logout': { post: Empty };
  '/api/v1/accounting/gold/buys': {
    get: Finds<{ from: string; to: string; q?: string; format?: string }> & Success<RegisterPage>;
  };
  '/api/v1/accounting/gold/month-end': {
    get: Success<{
      items: {
        period: string;
        canClose: boolean;
        waitsFor: string | null;
        unsignedDays: string[];
      }[];
    }>;
  };
  '/api/v1/accounting/gold/month-end-close/{period}': {
    get: NamesPeriod & Success<{ closed: boolean; differences: unknown[] }>;
    post: NamesPeriod & {
      requestBody?: undefined;
      responses: { 201: { content: { 'application/json': { closed: boolean } } } };
    };
  };
}

/** The sandbox's controls. */
export type SandboxClient = ApiClient<SandboxPaths>;

export type AccountingClient = ApiClient<AccountingPaths>;
