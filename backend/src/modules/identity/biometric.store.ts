import type { Db } from '../../platform/db/index.ts';

/* The rows of `biometric_token`: one for each device of a customer, by the token's hash alone. */

interface NewBiometricToken {
  readonly id: string;
  readonly userId: string;
  readonly deviceId: string;
  readonly tokenHash: string;
  readonly createdAt: Date;
}

/** Stores the token of a device, in place of the one that it had. */
export const storeBiometricToken = async (tx: Db, token: NewBiometricToken): Promise<void> => {
  const { userId, deviceId, tokenHash, createdAt } = token;
  await tx.biometricToken.upsert({
    where: { userId_deviceId: { userId, deviceId } },
    create: token,
    update: { tokenHash, createdAt, lastUsedAt: null, revokedAt: null },
    select: { id: true },
  });
};

/** Returns the customer whose live token this is, on this device and with this phone. */
export const findBiometricHolder = async (
  db: Db,
  { phone, deviceId, tokenHash }: { phone: string; deviceId: string; tokenHash: string },
): Promise<string | undefined> => {
  const where = { tokenHash, deviceId, revokedAt: null, user: { phone } };
  return (await db.biometricToken.findFirst({ where, select: { userId: true } }))?.userId;
};

/** Records a use of a device's token. Returns false for one that was revoked or replaced. */
export const recordBiometricUse = async (
  tx: Db,
  { userId, deviceId, tokenHash }: Pick<NewBiometricToken, 'userId' | 'deviceId' | 'tokenHash'>,
  at: Date,
): Promise<boolean> => {
  const where = { userId, deviceId, tokenHash, revokedAt: null };
  return (await tx.biometricToken.updateMany({ where, data: { lastUsedAt: at } })).count === 1;
};
