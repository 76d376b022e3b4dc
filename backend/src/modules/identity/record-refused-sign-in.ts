import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { countSecurityEvent, recordSecurityEvent } from '../security-events/index.ts';
import { findUserIdByPhone } from './users.store.ts';

interface RefusedSignIn {
  readonly phone: string;
  /** The client's address. */
  readonly ip: string;
  /** True if this refusal has locked the phone. */
  readonly locks: boolean;
}

/**
 * Records a refused sign-in of a customer, and the lock if the refusal caused one. For a phone
 * without a customer it runs the same queries and writes nothing, so that its time does not reveal
 * the difference. Only a customer's lock costs an additional query.
 */
export const recordRefusedSignIn = async (
  deps: { readonly clock: Clock; readonly random: Random },
  tx: Db,
  { phone, ip, locks }: RefusedSignIn,
): Promise<void> => {
  const userId = await findUserIdByPhone(tx, phone);
  await countSecurityEvent(tx, deps, { userId, kind: 'sign_in_refused', ip });
  if (!locks || userId === undefined) return;
  await recordSecurityEvent(tx, deps, { userId, kind: 'sign_in_locked', ip });
};
