import { clockSkewMs } from '../../platform/auth/counted-tries.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { execute, lockText, sql, type Db } from '../../platform/db/index.ts';
import { sendWindowMs, type CodePurpose } from './one-time-code.rules.ts';

/* Tables `otp_code`, `otp_guard` and `otp_send`. They contain no phone and no code in the clear. */

/** A phone (by its keyed hash) and a code's purpose. Each scope is counted and locked apart. */
export interface CodeScope {
  readonly phoneHash: string;
  readonly purpose: CodePurpose;
}

interface StoredCode {
  readonly id: string;
  readonly codeHash: string;
  readonly expiresAt: Date;
  readonly consumedAt: Date | null;
}

/**
 * Replaces the older hashes of a phone in its codes, sends and counts by the scope's hash. This is
 * needed while a key of the blind index is replaced, since replicas then write different hashes.
 * Concurrent calls by replicas with different first keys are serialised.
 */
export const rehashScope = async (
  tx: Db,
  { phoneHash, purpose }: CodeScope,
  olderHashes: readonly string[],
): Promise<void> => {
  if (olderHashes.length === 0) return;
  // All replicas lock the same hash of the phone, whichever of its hashes is their first.
  const [lockedHash] = [phoneHash, ...olderHashes].toSorted();
  await lockText(tx, `one-time-code|${purpose}|${lockedHash}`);
  for (const olderHash of olderHashes) {
    const scope = { phoneHash: olderHash, purpose };
    await tx.otpCode.updateMany({ where: scope, data: { phoneHash } });
    await tx.otpSend.updateMany({ where: scope, data: { phoneHash } });
    await execute(
      tx,
      sql`
        UPDATE otp_guard SET phone_hash = ${phoneHash}
        WHERE phone_hash = ${olderHash} AND purpose = ${purpose} AND NOT EXISTS (
          SELECT FROM otp_guard WHERE phone_hash = ${phoneHash} AND purpose = ${purpose})`,
    );
  }
};

/** Locks the scope until the transaction ends. */
export const lockScope = async (tx: Db, { phoneHash, purpose }: CodeScope): Promise<void> => {
  // The update changes nothing but takes the row's lock, whether or not the row was there.
  await execute(
    tx,
    sql`
      INSERT INTO otp_guard (phone_hash, purpose) VALUES (${phoneHash}, ${purpose})
      ON CONFLICT (phone_hash, purpose) DO UPDATE SET purpose = EXCLUDED.purpose`,
  );
};

/** Returns the times of the phone's sends, by all clients, that may still count at `now`. */
export const listRecentSends = async (
  tx: Db,
  { phoneHash, purpose }: CodeScope,
  now: Date,
): Promise<Date[]> => {
  const rows = await tx.otpSend.findMany({
    where: { phoneHash, purpose, sentAt: { gt: addMs(now, -sendWindowMs) } },
    select: { sentAt: true },
  });
  return rows.map(({ sentAt }) => sentAt);
};

/**
 * The recipient of a code. A code that resets an MPIN is only sent to customers. For other phones it
 * is counted as `unsent`, so that the limits of the phone and the address reveal nothing.
 */
export type SendAudience = 'customer' | 'stranger' | 'unsent';

/**
 * The sends that a limit counts: from an address or network, to strangers, or all that were sent.
 */
type SendGroup =
  | { readonly address: string }
  | { readonly network: string }
  | { readonly audience: 'stranger' }
  | 'sent';

/** Limits the sends of a group within a time. */
export interface SendLimit {
  readonly group: SendGroup;
  readonly maxSends: number;
  readonly windowMs: number;
}

const nameOf = (group: SendGroup): string =>
  group === 'sent' ? 'otp-sends' : `otp-sends|${Object.values(group).join('|')}`;

/**
 * Returns the time of the send that has to leave the limit's window before another send is allowed,
 * or undefined if one is allowed now. Locks the limit's group until the transaction ends, so that
 * concurrent sends are judged one after the other.
 */
export const findBlockingSend = async (
  tx: Db,
  { group, maxSends, windowMs }: SendLimit,
  now: Date,
): Promise<Date | undefined> => {
  await lockText(tx, nameOf(group));
  const row = await tx.otpSend.findFirst({
    where: {
      ...(group === 'sent' ? { audience: { not: 'unsent' } } : group),
      // A later time than another process's clock can show was written before ours was set back.
      sentAt: { gt: addMs(now, -windowMs), lt: addMs(now, clockSkewMs) },
    },
    orderBy: { sentAt: 'desc' },
    skip: maxSends - 1,
    select: { sentAt: true },
  });
  return row?.sentAt;
};

/** A send, with the client's address and network, which its limits count. */
export interface NewSend extends CodeScope {
  readonly id: string;
  readonly address: string;
  /** The client's IPv6 network, or null for an IPv4 client. */
  readonly network: string | null;
  readonly audience: SendAudience;
  readonly sentAt: Date;
}

export const insertSend = async (tx: Db, send: NewSend): Promise<void> => {
  const { phoneHash, purpose, id, address, network, audience, sentAt } = send;
  const data = { id, phoneHash, purpose, address, network, audience, sentAt };
  await tx.otpSend.create({ data });
};

export const deleteSend = async (db: Db, id: string): Promise<void> => {
  await db.otpSend.deleteMany({ where: { id } });
};

/** Deletes all codes of the scope, whatever their times are, and inserts the new one. */
export const replaceCode = async (
  tx: Db,
  scope: CodeScope,
  code: { id: string; codeHash: string; createdAt: Date; expiresAt: Date },
): Promise<void> => {
  await tx.otpCode.deleteMany({ where: scope });
  await tx.otpCode.create({ data: { ...scope, ...code } });
};

export const findCode = async (tx: Db, scope: CodeScope): Promise<StoredCode | undefined> => {
  const row = await tx.otpCode.findFirst({
    where: scope,
    orderBy: { id: 'desc' },
    select: { id: true, codeHash: true, expiresAt: true, consumedAt: true },
  });
  return row ?? undefined;
};

export const consumeCode = async (tx: Db, id: string, consumedAt: Date): Promise<void> => {
  await tx.otpCode.updateMany({ where: { id, consumedAt: null }, data: { consumedAt } });
};

export const deleteCode = async (db: Db, id: string): Promise<void> => {
  await db.otpCode.deleteMany({ where: { id } });
};
