import type { SmsGateway } from '../../adapters/sms/port.ts';
import type { TokenSigner } from '../../platform/auth/jwt.ts';
import type { RevocationList } from '../../platform/auth/revocation-list.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { BlindIndex, Vault } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Guard, Route } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { createAuthCustomerRoutes } from './auth.customer.routes.ts';
import { createCustomerGuard } from './customer-guard.ts';
import { createEndSession } from './end-session.ts';
import type { KycStatus } from './identity.types.ts';
import { createOneTimeCodes } from './one-time-codes.ts';
import { createRefreshSession } from './refresh-session.ts';
import { createSessions } from './sessions.ts';
import { createSignInWithCode } from './sign-in-with-code.ts';
import { createUsersCustomerRoutes } from './users.customer.routes.ts';

export interface IdentityDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly tokens: TokenSigner;
  readonly revocations: RevocationList;
  readonly sms: SmsGateway;
  readonly vault: Pick<Vault, 'forUser'>;
  readonly blindIndex: BlindIndex;
  readonly credentialPepper: string;
  /** What other modules keep for every customer, in the transaction that makes them. */
  readonly onUserCreated: (db: Db, userId: string, at: Date) => Promise<void>;
  readonly kycStatusOf: (db: Db, userId: string) => Promise<KycStatus>;
}

export interface Identity {
  readonly customerRoutes: Route[];
  readonly customerGuard: Guard;
}

/** Customers, how they sign in, and the guard of their API. */
export const createIdentity = (deps: IdentityDeps): Identity => {
  const codes = createOneTimeCodes(deps);
  const sessions = createSessions(deps);
  return {
    customerGuard: createCustomerGuard(deps),
    customerRoutes: [
      ...createAuthCustomerRoutes({
        ...deps,
        codes,
        signInWithCode: createSignInWithCode({ ...deps, codes, sessions }),
        refreshSession: createRefreshSession({ ...deps, sessions }),
        endSession: createEndSession({ ...deps, sessions }),
      }),
      ...createUsersCustomerRoutes(deps),
    ],
  };
};
