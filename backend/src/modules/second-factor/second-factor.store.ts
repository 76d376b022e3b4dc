import { lockRow, type Db } from '../../platform/db/index.ts';

/** The person who owns a factor, and the API in which they have an account. */
export interface FactorOwner {
  readonly api: 'admin' | 'accounting';
  readonly id: string;
}

export interface FactorRecord {
  readonly id: string;
  readonly secretSealed: string;
  /** Null until the first code of the app was entered. */
  readonly confirmedAt: Date | null;
  /** The period of the last code that was accepted. Null before the first one. */
  readonly lastPeriod: number | null;
}

/* The rows of `second_factor` and `recovery_code`. */

const ownerOf = ({ api, id }: FactorOwner) =>
  api === 'admin' ? { adminId: id } : { portalUserId: id };

export const findFactor = async (db: Db, owner: FactorOwner): Promise<FactorRecord | undefined> =>
  (await db.secondFactor.findFirst({ where: ownerOf(owner) })) ?? undefined;

/** Locks the factor of a person until the transaction ends. Returns undefined if there is none. */
export const lockFactor = async (tx: Db, owner: FactorOwner): Promise<FactorRecord | undefined> => {
  const factor = await findFactor(tx, owner);
  if (factor === undefined) return undefined;
  await lockRow(tx, 'second_factor', factor.id);
  return findFactor(tx, owner);
};

export const insertFactor = async (
  tx: Db,
  owner: FactorOwner,
  factor: Pick<FactorRecord, 'id' | 'secretSealed'> & { readonly createdAt: Date },
): Promise<void> => {
  await tx.secondFactor.create({ data: { ...ownerOf(owner), ...factor } });
};

export const updateFactor = async (
  tx: Db,
  id: string,
  change: Partial<Pick<FactorRecord, 'confirmedAt' | 'lastPeriod'>>,
): Promise<void> => {
  await tx.secondFactor.update({ where: { id }, data: change });
};

/** Deletes a person's factor with its recovery codes, if there is one. */
export const deleteFactor = async (tx: Db, owner: FactorOwner): Promise<void> => {
  await tx.recoveryCode.deleteMany({ where: { factor: ownerOf(owner) } });
  await tx.secondFactor.deleteMany({ where: ownerOf(owner) });
};

/** Replaces the recovery codes of a factor. */
export const replaceRecoveryCodes = async (
  tx: Db,
  factorId: string,
  codes: readonly { readonly id: string; readonly codeHash: string }[],
): Promise<void> => {
  await tx.recoveryCode.deleteMany({ where: { factorId } });
  await tx.recoveryCode.createMany({ data: codes.map((code) => ({ ...code, factorId })) });
};

/** Marks a recovery code as used. Returns false if it is unknown or was used before. */
export const consumeRecoveryCode = async (
  tx: Db,
  { factorId, codeHash, usedAt }: { factorId: string; codeHash: string; usedAt: Date },
): Promise<boolean> => {
  const where = { factorId, codeHash, usedAt: null };
  return (await tx.recoveryCode.updateMany({ where, data: { usedAt } })).count > 0;
};

export const countRecoveryCodes = (db: Db, factorId: string): Promise<number> =>
  db.recoveryCode.count({ where: { factorId, usedAt: null } });

/** Returns the ids of the people of an API whose factor is confirmed. */
export const listFactorOwners = async (db: Db, api: FactorOwner['api']): Promise<Set<string>> => {
  const where = {
    confirmedAt: { not: null },
    ...(api === 'admin' ? { adminId: { not: null } } : { portalUserId: { not: null } }),
  };
  const rows = await db.secondFactor.findMany({
    where,
    select: { adminId: true, portalUserId: true },
  });
  return new Set(rows.map(({ adminId, portalUserId }) => adminId ?? portalUserId ?? ''));
};
