import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createGoldProvider } from '../../src/adapters/gold-provider/create-gold-provider.ts';
import { createBodyCipher } from '../../src/adapters/gold-provider/safegold/safegold.encryption.ts';
import { createSystemClock } from '../../src/platform/clock/clock.ts';

const token = 'dev-only-safegold-token';
const silent = (): void => {};

test('with encryption on, bodies travel sealed both ways', async () => {
  const cipher = createBodyCipher(token);
  const received: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push(body);
      return response.end(cipher.seal('{"id": 7, "gold_balance": 1.25}'));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');

  const env = {
    APP_MODE: 'test',
    SAFEGOLD_BASE_URL: `http://127.0.0.1:${address.port}`,
    SAFEGOLD_TOKEN: token,
    SAFEGOLD_BODY_ENCRYPTION: 'on',
  };
  const logger = { debug: silent, warn: silent };
  const provider = createGoldProvider(env, { clock: createSystemClock(), logger });
  const customer = { phone: '+919876543210', name: 'Asha Rao', pincode: '560001' };
  expect(await provider.register(customer)).toEqual({
    kind: 'done',
    value: { providerUserId: '7', goldBalanceGrams: 125_000_000n },
  });
  expect(received[0]).not.toContain('Asha');
  expect(JSON.parse(cipher.open(received[0] ?? '') ?? '')).toEqual({
    name: 'Asha Rao',
    mobile_no: '9876543210',
    pin_code: '560001',
  });

  await provider.close();
  server.close();
});
