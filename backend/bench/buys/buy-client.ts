import { Agent, request } from 'undici';
import { z } from 'zod';
import { createClientAddresses } from '../support/client-addresses.ts';
import type { BenchCustomer } from './make-customers.ts';
import type { BuyNames } from './sql-script.ts';

const boughtSchema = z.object({
  sg_tx_id: z.string(),
  payment: z.object({ gateway_order_id: z.string() }),
});

interface BuyClient {
  /** Sends `POST /gold/buy` of INR 100. Returns its inputs and the created ids. */
  buy(customer: BenchCustomer, key: string): Promise<BuyNames>;
  close(): Promise<void>;
}

/** Creates a client that buys at a customer API, each time from another client address. */
export const createBuyClient = (url: string): BuyClient => {
  const agent = new Agent({ connections: 64, pipelining: 1 });
  const addresses = createClientAddresses();
  return {
    async buy({ userId, phone, token }, key) {
      const requestId = `bench-${key}`;
      const response = await request(`${url}/v1/gold/buy`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'x-forwarded-for': addresses.next(),
          'x-request-id': requestId,
        },
        body: JSON.stringify({ unit: 'INR', amount: '100.00', idempotency_key: key }),
        dispatcher: agent,
      });
      const text = await response.body.text();
      if (response.statusCode !== 201) throw new Error(`a buy: ${response.statusCode} ${text}`);
      const { sg_tx_id: providerTxId, payment } = boughtSchema.parse(JSON.parse(text));
      const gatewayOrderId = payment.gateway_order_id;
      return { userId, phone, key, requestId, providerTxId, gatewayOrderId };
    },
    close: () => agent.close(),
  };
};
