import { addMs } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { sendWindowMs, type CodePurpose, type WrongCodes } from './one-time-code.rules.ts';

/** A phone (by its keyed hash) and what the code is for. */
export interface CodeScope {
  readonly phoneHash: string;
  readonly purpose: CodePurpose;
}

export interface StoredCode {
  readonly id: string;
  readonly codeHash: string;
  readonly expiresAt: Date;
  readonly consumedAt: Date | null;
}

interface GuardRow {
  previous_wrong_at: Date | null;
  last_wrong_at: Date | null;
  locked_until: Date | null;
}

/** Tables `otp_code`, `otp_guard`, `otp_send`. Nothing in them shows a phone or a code. */
export const createOneTimeCodeStore = (db: Db) => ({
  /** Locks the scope until the transaction ends, and answers its wrong codes. */
  async lock({ phoneHash, purpose }: CodeScope): Promise<WrongCodes> {
    // The update changes nothing but takes the row's lock, whether or not the row was there.
    const [row] = await db.$queryRaw<GuardRow[]>`
      INSERT INTO otp_guard (phone_hash, purpose) VALUES (${phoneHash}, ${purpose})
      ON CONFLICT (phone_hash, purpose) DO UPDATE SET purpose = EXCLUDED.purpose
      RETURNING previous_wrong_at, last_wrong_at, locked_until`;
    return {
      previousWrongAt: row?.previous_wrong_at ?? null,
      lastWrongAt: row?.last_wrong_at ?? null,
      lockedUntil: row?.locked_until ?? null,
    };
  },

  async saveWrongCodes(scope: CodeScope, wrong: WrongCodes): Promise<void> {
    await db.otpGuard.updateMany({ where: scope, data: wrong });
  },

  /** Sends that may still count at `now`. */
  async recentSends(scope: CodeScope, now: Date): Promise<Date[]> {
    const rows = await db.otpSend.findMany({
      where: { ...scope, sentAt: { gt: addMs(now, -sendWindowMs) } },
      select: { sentAt: true },
    });
    return rows.map(({ sentAt }) => sentAt);
  },

  async insertSend(id: string, scope: CodeScope, sentAt: Date): Promise<void> {
    await db.otpSend.create({ data: { id, ...scope, sentAt } });
  },

  async deleteSend(id: string): Promise<void> {
    await db.otpSend.deleteMany({ where: { id } });
  },

  /** The newest code is the only one: those before it go, whatever the clock said when. */
  async replaceCode(
    scope: CodeScope,
    code: { id: string; codeHash: string; createdAt: Date; expiresAt: Date },
  ): Promise<void> {
    await db.otpCode.deleteMany({ where: scope });
    await db.otpCode.create({ data: { ...scope, ...code } });
  },

  async findCode(scope: CodeScope): Promise<StoredCode | undefined> {
    const row = await db.otpCode.findFirst({
      where: scope,
      orderBy: { id: 'desc' },
      select: { id: true, codeHash: true, expiresAt: true, consumedAt: true },
    });
    return row ?? undefined;
  },

  async consumeCode(id: string, consumedAt: Date): Promise<void> {
    await db.otpCode.updateMany({ where: { id, consumedAt: null }, data: { consumedAt } });
  },

  async deleteCode(id: string): Promise<void> {
    await db.otpCode.deleteMany({ where: { id } });
  },
});
