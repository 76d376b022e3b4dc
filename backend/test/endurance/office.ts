import type { Timers } from '../../src/platform/clock/timers.ts';
import type { Draw } from './customers.ts';
import type { Ground } from './ground.ts';
import type { Ledger } from './ledger.ts';

interface OfficeOptions {
  readonly ground: Ground;
  readonly ledger: Ledger;
  readonly timers: Timers;
  readonly draw: Draw;
  readonly signal: AbortSignal;
}

const base = '/api/v1/accounting';
const reads = ['summary', 'buys', 'sells', 'holdings', 'payments', 'payouts', 'month-end'];

/** The time limit for an answer of a running process. */
const patienceMs = 30_000;

const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/**
 * Simulates other people beside the customers until the signal: an accountant signs in and reads
 * the registers, and strangers request a code by SMS. Each answer is counted. No answer may be a
 * server error without a code.
 */
export const runOffice = async (options: OfficeOptions): Promise<void> => {
  const { ground, ledger, timers, draw, signal } = options;
  const { accounting, customer, portalUsers } = ground.endpoints;
  let token = '';

  const ask = async (request: string, url: string, init: RequestInit): Promise<Response> => {
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(patienceMs) });
      ledger.count(request, String(response.status));
      if (response.status === 500) ledger.find('a server error', `${request}: 500`);
      return response;
    } catch {
      ledger.count(request, 'no answer');
      return new Response(undefined, { status: 503 });
    }
  };
  const signIn = async (): Promise<void> => {
    const url = `${accounting}${base}/auth/login`;
    const response = await ask('sign-in of an accountant', url, post(portalUsers.accountant));
    // The API's answer has this form.
    const body = (await response.json().catch(() => ({}))) as { readonly token?: string };
    token = body.token ?? '';
  };
  const read = async (): Promise<void> => {
    if (token === '') await signIn();
    const path = reads[Math.floor(draw() * reads.length)] ?? 'summary';
    const headers = { 'x-portal-token': token };
    const response = await ask('register', `${accounting}${base}/gold/${path}`, { headers });
    await response.arrayBuffer();
    if (response.status === 401) token = '';
  };
  const sendCode = async (): Promise<void> => {
    const phone = `+919${String(Math.floor(draw() * 1e9)).padStart(9, '0')}`;
    const url = `${customer}/v1/auth/send-otp`;
    await (await ask('code by SMS', url, post({ phone }))).arrayBuffer();
  };

  while (!signal.aborted) {
    await (draw() < 0.7 ? read() : sendCode());
    await timers.sleep(200 + draw() * 800, signal);
  }
};
