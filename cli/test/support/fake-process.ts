import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A process as a check sees it: its probe, its health route, its readiness report. */
export interface FakeProcess {
  readonly port: number;
  readonly url: string;
  /** Sets the response of a path. Any other is 404. */
  answer(path: string, status: number, body: unknown): void;
  /** Sets the probe's report. Every check passes except those given. */
  ready(checks?: Readonly<Record<string, 'ok' | 'failed'>>): void;
  close(): Promise<void>;
}

const requiredChecks = ['database', 'migrations'];

/** Starts one that is ready and healthy. */
export const startFakeProcess = async (): Promise<FakeProcess> => {
  const answers = new Map<string, { status: number; body: unknown }>();
  const server = createServer((request, response) => {
    const { status, body } = answers.get(request.url ?? '') ?? { status: 404, body: {} };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  server.keepAliveTimeout = 75_000;
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const answer: FakeProcess['answer'] = (path, status, body) => {
    answers.set(path, { status, body });
  };
  const ready: FakeProcess['ready'] = (changes = {}) => {
    const checks = { database: 'ok', migrations: 'ok', cache: 'ok', ...changes };
    const isReady = requiredChecks.every((name) => changes[name] !== 'failed');
    const body = { status: isReady ? 'ok' : 'unavailable', checks };
    answer('/readyz', isReady ? 200 : 503, body);
  };
  ready();
  for (const path of ['/v1/health', '/api/v1/accounting/health']) {
    answer(path, 200, { status: 'ok' });
  }
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    answer,
    ready,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const itemIds = [
  'merchant_tax_registration',
  'provider_disclosure',
  'legal_entity',
  'legal_policies',
  'gold_provider',
  'payment_gateway',
  'payout_provider',
  'price_feed',
  'database_migrations',
  'first_admin',
  'production_secrets',
];

interface Item {
  readonly id: string;
  readonly title: string;
  readonly blocking: boolean;
  readonly status: string;
  readonly detail: string;
}

/** Returns a readiness report in which every item passes except those given. */
export const readinessReport = (changes: Readonly<Record<string, Partial<Item>>> = {}) => {
  const items = [...new Set([...itemIds, ...Object.keys(changes)])].map((id): Item => ({
    id,
    title: `The title of ${id}`,
    blocking: true,
    status: 'PASS',
    detail: 'It is well.',
    ...changes[id],
  }));
  return { ready: true, items };
};
