import { basicCredentials, isSameSecret } from '../../core/credentials.ts';
import type { Collaborator } from '../../core/collaborator.ts';
import { accountOperations } from './account-operations.ts';
import { payoutOperations } from './payout-operations.ts';
import { createRazorpayxStore } from './razorpayx-store.ts';
import {
  createRazorpayxPayoutSimulator,
  type PayoutSimulatorDeps,
  type RazorpayxPayoutSimulator,
} from './razorpayx-payout-simulator.ts';
import { razorpayxError } from './razorpayx.wire.ts';

interface RazorpayxOptions extends Omit<PayoutSimulatorDeps, 'store'> {
  readonly keyId: string;
  readonly keySecret: string;
  readonly accountNumber: string;
}

/** The collaborator, and the simulator that plays its payouts. */
interface Razorpayx {
  readonly collaborator: Collaborator;
  readonly simulator: RazorpayxPayoutSimulator;
}

/** Creates RazorpayX: contacts, fund accounts, payouts and penny-drops. */
export const createRazorpayx = (options: RazorpayxOptions): Razorpayx => {
  const { clock, random, keyId, keySecret, accountNumber } = options;
  const store = createRazorpayxStore(clock, random);
  const simulator = createRazorpayxPayoutSimulator({ ...options, store });
  const deps = { store, simulator, clock, accountNumber };
  const collaborator: Collaborator = {
    name: 'razorpayx',
    mountPath: '/razorpayx',
    operations: [...accountOperations(deps), ...payoutOperations(deps)],
    refuseUnauthenticated: ({ headers }) =>
      isSameSecret(basicCredentials(headers), `${keyId}:${keySecret}`)
        ? undefined
        : { status: 401, body: razorpayxError('BAD_REQUEST_ERROR', 'Authentication failed') },
    errorBody: (status, message) => {
      if (status === 200) return undefined;
      return razorpayxError(status >= 500 ? 'SERVER_ERROR' : 'BAD_REQUEST_ERROR', message);
    },
    store,
  };
  return { collaborator, simulator };
};
