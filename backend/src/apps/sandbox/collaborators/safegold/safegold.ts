import type { Call, Collaborator } from '../../core/collaborator.ts';
import { isSameSecret } from '../../core/credentials.ts';
import { confirmOperations } from './confirm-operations.ts';
import { priceOperations } from './price-operations.ts';
import type { SafegoldStore } from './safegold-store.ts';
import type { PriceSource } from './price-source.ts';
import type { Clock } from '../../../../platform/clock/clock.ts';
import { userOperations } from './user-operations.ts';
import { verifyOperations } from './verify-operations.ts';

interface SafegoldOptions {
  readonly store: SafegoldStore;
  readonly prices: PriceSource;
  /** The movable clock: rates and transactions age by it. */
  readonly clock: Clock;
  readonly enforcesKycLimits: boolean;
  readonly token: string;
}

const tokenOf = ({ headers, query }: Call): string =>
  /^Bearer (.+)$/u.exec(headers.authorization ?? '')?.[1] ?? query.get('session_token') ?? '';

/** Creates the gold provider SafeGold, as its public pages describe it. */
export const createSafegold = (options: SafegoldOptions): Collaborator => ({
  name: 'safegold',
  mountPath: '/safegold',
  operations: [
    ...priceOperations(options),
    ...userOperations(options.store),
    ...verifyOperations(options),
    ...confirmOperations(options),
  ],
  refuseUnauthenticated: (call) =>
    isSameSecret(tokenOf(call), options.token)
      ? undefined
      : { status: 401, body: { code: 401, message: 'Unauthorized' } },
  // SafeGold reports a failed confirm as a blank 200.
  errorBody: (status, message) => (status === 200 ? undefined : { code: 0, message }),
  store: options.store,
});
