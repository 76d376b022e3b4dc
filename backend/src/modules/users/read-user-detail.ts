import type { Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { openBlockedReason } from '../identity/index.ts';
import { listAccounts } from '../banking/index.ts';
import { presentHolding, readHolding } from '../holdings/index.ts';
import { readKycOfUser } from '../kyc/index.ts';
import { listPlansOfUser, presentPlan } from '../plans/index.ts';
import { listRewards, presentReward } from '../referrals/index.ts';
import { type UserRow, findUserRow, listSecurityEvents } from './users.read-model.ts';
import { presentUserRow, presentSecurityEvent } from './users.schemas.ts';

interface PresentUsersDeps {
  readonly db: Db;
  readonly vault: Pick<Vault, 'forUsers'>;
}

/** Presents customers to operators. Reads the data keys of those whose block has a sealed reason. */
export const presentUsers = async (
  { db, vault }: PresentUsersDeps,
  rows: readonly UserRow[],
): Promise<ReturnType<typeof presentUserRow>[]> => {
  const sealed = rows.filter(({ blockedReasonSealed }) => blockedReasonSealed !== null);
  const sealers =
    sealed.length === 0
      ? undefined
      : await vault.forUsers(
          db,
          sealed.map(({ id }) => id),
        );
  return rows.map((row) =>
    presentUserRow(row, openBlockedReason(sealers?.get(row.id), row, row.id)),
  );
};

const firstPage = (limit: number) => ({ page: 1, limit });
const maxEvents = 50;

/**
 * Returns a customer as operators see them, with their holding, KYC, bank accounts and the newest
 * security events, referral rewards and plans. @throws AppError NOT_FOUND
 */
export const readUserDetail = async (
  deps: { readonly db: Db; readonly vault: Vault; readonly wall: Clock },
  userId: string,
) => {
  const { db } = deps;
  const row = await findUserRow(db, userId);
  if (row === undefined) throw new AppError('NOT_FOUND');
  const [[user], holding, kyc, accounts, events, rewards, plans] = await Promise.all([
    presentUsers(deps, [row]),
    readHolding(db, userId),
    readKycOfUser(deps, userId),
    listAccounts(deps, userId, firstPage(100)),
    listSecurityEvents(db, userId, maxEvents),
    listRewards(db, userId, firstPage(100)),
    listPlansOfUser(db, userId, 100),
  ]);
  invariant(user, 'one customer is presented as one');
  return {
    ...user,
    holding: presentHolding(holding),
    kyc,
    bankAccounts: accounts.items,
    securityEvents: events.map(presentSecurityEvent),
    referralRewards: rewards.rows.map(presentReward),
    plans: plans.map(presentPlan),
  };
};
