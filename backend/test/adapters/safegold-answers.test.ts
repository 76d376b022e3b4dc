import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Closable } from '../../src/adapters/adapter-deps.ts';
import { createGoldProvider } from '../../src/adapters/gold-provider/create-gold-provider.ts';
import { invoiceAnswer } from '../../src/adapters/gold-provider/safegold/safegold.wire.ts';
import type { GoldProvider } from '../../src/adapters/gold-provider/port.ts';
import { fromSafeBps, parseGrams, parseRupees } from '../../src/money/index.ts';
import { createSystemClock } from '../../src/platform/clock/clock.ts';
import { createLogger } from '../../src/platform/observability/index.ts';

/** A SafeGold that accepts every request and answers with other rupees. */
let server: Server;
let provider: GoldProvider & Closable;
let answered: { buy_price?: number; sell_price?: number; link?: string };

const readBody = async (request: IncomingMessage): Promise<Record<string, unknown>> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  if (text === '') return {};
  return JSON.parse(text) as Record<string, unknown>; // the adapter's own body
};

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { gold_amount: weight } = await readBody(request);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ tx_id: 71, gold_amount: weight, ...answered }));
};

beforeAll(async () => {
  server = createServer((request, response) => {
    void answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not on a port');
  provider = createGoldProvider(
    {
      APP_MODE: 'test',
      SAFEGOLD_BASE_URL: `http://127.0.0.1:${address.port}`,
      SAFEGOLD_TOKEN: 'dev-only-safegold-token-for-tests',
    },
    { clock: createSystemClock(), logger: createLogger({ level: 'error', name: 'test' }) },
  );
});
afterAll(async () => {
  await provider.close();
  server.close();
  server.closeAllConnections();
});

const asked = {
  providerUserId: '7',
  reference: 'order-1',
  rateId: '1',
  grams: parseGrams('1'),
};
const buy = () =>
  provider.verifyBuy({
    ...asked,
    rateBuyPaise: parseRupees('10000'),
    rateTaxBps: fromSafeBps(300),
  });
const sell = () => provider.verifySell({ ...asked, rateSellPaise: parseRupees('9700') });

test.each([10_300.01, 10_299.99, 10_000, 9000])(
  'a buy at other rupees than its rate gives is refused: %d',
  async (rupees) => {
    answered = { buy_price: rupees };
    expect(await buy()).toMatchObject({ kind: 'refused', code: 'AMOUNT_MISMATCH' });
  },
);

test.each([9700.01, 9699.99, 1000])(
  'a sale at other rupees than its rate gives is refused: %d',
  async (rupees) => {
    answered = { sell_price: rupees };
    expect(await sell()).toMatchObject({ kind: 'refused', code: 'AMOUNT_MISMATCH' });
  },
);

test('what the rate gives is done', async () => {
  answered = { buy_price: 10_300, sell_price: 9700 };
  expect(await buy()).toMatchObject({
    kind: 'done',
    value: { providerAmountPaise: parseRupees('10300') },
  });
  expect(await sell()).toMatchObject({
    kind: 'done',
    value: { providerAmountPaise: parseRupees('9700') },
  });
});

test.each([
  'javascript:alert(1)',
  'data:application/pdf;base64,AA==',
  'https://user:secret@invoices.example.test/1.pdf',
  '/1.pdf',
  '',
])('a link to an invoice that no browser should open is no answer: %s', async (link) => {
  answered = { link };
  expect(await provider.invoiceLink({ providerTxId: '71' })).toMatchObject({ kind: 'unknown' });
});

test('a link by plain HTTP is taken only from a provider by plain HTTP', () => {
  const plain = { link: 'http://invoices.example.test/1.pdf' };
  expect(invoiceAnswer('https://partners.example.test').safeParse(plain).success).toBe(false);
  expect(invoiceAnswer('http://127.0.0.1:4010').safeParse(plain).success).toBe(true);
  const safe = { link: 'https://invoices.example.test/1.pdf' };
  expect(invoiceAnswer('https://partners.example.test').safeParse(safe).success).toBe(true);
});
