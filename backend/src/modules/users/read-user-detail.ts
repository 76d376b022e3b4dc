import type { Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { listAccounts } from '../banking/index.ts';
import { presentHolding, readHolding } from '../holdings/index.ts';
import { readKycOfUser } from '../kyc/index.ts';
import { listRewards, presentReward } from '../referrals/index.ts';
import { presentUsers } from './present-users.ts';
import { findUserRow, listSecurityEvents } from './users.read-model.ts';
import { presentSecurityEvent } from './users.schemas.ts';

const newest = (limit: number) => ({ page: 1, limit });
const maxEvents = 50;

/**
 * Returns a customer as operators see one, with their holding, KYC, bank accounts, the newest
 * security events and referral rewards. @throws AppError NOT_FOUND
 */
export const readUserDetail = async (
  deps: { readonly db: Db; readonly vault: Vault },
  userId: string,
) => {
  const { db } = deps;
  const row = await findUserRow(db, userId);
  if (row === undefined) throw new AppError('NOT_FOUND');
  const [[user], holding, kyc, accounts, events, rewards] = await Promise.all([
    presentUsers(deps, [row]),
    readHolding(db, userId),
    readKycOfUser(deps, userId),
    listAccounts(deps, userId, newest(100)),
    listSecurityEvents(db, userId, maxEvents),
    listRewards(db, userId, newest(100)),
  ]);
  invariant(user, 'one customer is presented as one');
  return {
    ...user,
    holding: presentHolding(holding),
    kyc,
    bankAccounts: accounts.items,
    securityEvents: events.map(presentSecurityEvent),
    referralRewards: rewards.rows.map(presentReward),
  };
};
