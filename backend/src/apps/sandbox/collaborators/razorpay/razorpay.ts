import type { Collaborator } from '../../core/collaborator.ts';
import {
  createCheckoutSimulator,
  type GatewayDeps,
  type SimulatedGateway,
} from '../../core/create-checkout-simulator.ts';
import { basicCredentials, hexHmac, isSameSecret } from '../../core/credentials.ts';
import { createGatewayStore, prefixedIds } from '../../core/gateway-store.ts';
import { razorpayxError } from '../razorpayx/razorpayx.wire.ts';
import { razorpayOperations } from './razorpay-operations.ts';
import { createRazorpayProtocol } from './razorpay-webhooks.ts';

interface RazorpayOptions extends GatewayDeps {
  readonly keyId: string;
  readonly keySecret: string;
  readonly webhookSecret: string;
}

/** The prefixes of ids. A debit is a payment at Razorpay, so both have the same prefix. */
const prefixes = {
  order: 'order',
  payment: 'pay',
  debit: 'pay',
  refund: 'rfnd',
  dispute: 'disp',
} as const;

/** Creates Razorpay's payment gateway: orders, payments, refunds, disputes, recurring payments. */
export const createRazorpayGateway = (options: RazorpayOptions): SimulatedGateway => {
  const { clock, random, keyId, keySecret } = options;
  const store = createGatewayStore(clock, prefixedIds(random, prefixes));
  const protocol = createRazorpayProtocol({ ...options, store });
  const simulator = createCheckoutSimulator({ ...options, store, protocol });
  const checkoutSignature = (orderId: string, paymentId: string) =>
    hexHmac(keySecret, `${orderId}|${paymentId}`);
  const collaborator: Collaborator = {
    name: protocol.name,
    mountPath: '/razorpay',
    operations: razorpayOperations({ store, simulator, checkoutSignature }),
    refuseUnauthenticated: ({ headers }) =>
      isSameSecret(basicCredentials(headers), `${keyId}:${keySecret}`)
        ? undefined
        : {
            status: 401,
            body: razorpayxError('BAD_REQUEST_ERROR', 'The api key provided is invalid'),
          },
    errorBody: (status, message) => {
      if (status === 200) return undefined;
      return razorpayxError(status >= 500 ? 'SERVER_ERROR' : 'BAD_REQUEST_ERROR', message);
    },
    store,
  };
  return { collaborator, simulator };
};
