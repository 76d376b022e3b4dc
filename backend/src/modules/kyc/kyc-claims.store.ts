import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { KycRow } from './kyc.store.ts';

/* Operators' claims, which are columns of `kyc_record`. */

/** An operator's claim on a record. */
interface Claim {
  readonly by: { readonly id: string; readonly email: string };
  readonly until: string;
}

const isClaimed = ({ claimedUntil }: Pick<KycRow, 'claimedUntil'>, now: Date): boolean =>
  claimedUntil !== null && claimedUntil > now;

/** Returns the claims that have not expired, by the id of the record. */
export const findClaims = async (
  db: Db,
  rows: readonly KycRow[],
  now: Date,
): Promise<ReadonlyMap<string, Claim>> => {
  const claimedRows = rows.filter((row) => isClaimed(row, now));
  const ids = claimedRows.flatMap(({ claimedBy }) => claimedBy ?? []);
  if (ids.length === 0) return new Map();
  const admins = await db.adminUser.findMany({
    where: { id: { in: ids } },
    select: { id: true, email: true },
  });
  return new Map(
    claimedRows.flatMap(({ id, claimedBy, claimedUntil }) => {
      const by = admins.find((admin) => admin.id === claimedBy);
      return by === undefined || claimedUntil === null
        ? []
        : [[id, { by, until: claimedUntil.toISOString() }]];
    }),
  );
};

/** @throws AppError CONFLICT, with the claim in its details, if another operator has claimed the record */
export const requireUnclaimed = async (
  db: Db,
  id: string,
  { adminId, now }: { readonly adminId: string; readonly now: Date },
): Promise<void> => {
  const row = await db.kycRecord.findUnique({ where: { id } });
  if (row === null || row.claimedBy === adminId || !isClaimed(row, now)) return;
  throw new AppError('CONFLICT', {
    message: 'Another operator is working on this record.',
    details: { claim: (await findClaims(db, [row], now)).get(id) },
  });
};

/** Stores a claim on a locked record, or removes it if `claim` is undefined. */
export const updateClaim = async (
  tx: Db,
  id: string,
  claim: { readonly adminId: string; readonly until: Date } | undefined,
): Promise<void> => {
  await tx.kycRecord.update({
    where: { id },
    data: { claimedBy: claim?.adminId ?? null, claimedUntil: claim?.until ?? null },
  });
};
