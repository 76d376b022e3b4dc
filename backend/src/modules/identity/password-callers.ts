import type { Clock } from '../../platform/clock/clock.ts';
import type { PasswordCaller } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import type { CustomerPrincipal } from './identity.types.ts';
import { callerOf } from './sign-in-rules.ts';
import { isTrustedForPhone } from './trusted-devices.store.ts';

/*
 * The callers by whom the waiting checks of MPINs are counted (contract: identity-and-kyc >
 * Password checks).
 */

/** Identifies a client that is not signed in by its trusted device, or else by its address. */
export const passwordCallerOfClient = async (
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  client: { readonly phone: string; readonly deviceId?: string | undefined },
  { ip, clientGone }: Pick<RequestContext, 'ip' | 'clientGone'>,
): Promise<PasswordCaller> => {
  const { phone, deviceId } = client;
  const isKnown = await isTrustedForPhone(db, { phone, deviceId }, clock.now());
  return { clientGone, id: callerOf({ ip, deviceId }, isKnown), isKnown };
};

/** Identifies a signed-in customer by their session. */
export const passwordCallerOfSession = (
  { sessionId }: Pick<CustomerPrincipal, 'sessionId'>,
  { clientGone }: Pick<RequestContext, 'clientGone'>,
): PasswordCaller => ({ clientGone, id: `session|${sessionId}`, isKnown: true });
