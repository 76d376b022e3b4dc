import { Prisma } from '../../generated/prisma/client.ts';
import type { FundAccount } from '../../adapters/payout-provider/port.ts';
import type { Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import { statesBefore } from './banking.states.ts';
import type { BankAccount } from './banking.types.ts';

export interface NewBankAccount {
  readonly id: string;
  readonly userId: string;
  readonly numberSealed: string;
  readonly numberHash: string;
  readonly accountLast4: string;
  readonly ifsc: string;
  readonly holderNameSealed: string;
  readonly provider: string;
  readonly primaryWanted: boolean;
  readonly createdAt: Date;
}

const columns = Prisma.sql`
  b.id, b.user_id AS "userId", b.status, b.is_primary AS "isPrimary",
  b.primary_wanted AS "primaryWanted", b.account_last4 AS "accountLast4", b.ifsc,
  b.number_sealed AS "numberSealed", b.holder_name_sealed AS "holderNameSealed",
  b.name_match_score AS "nameMatchScore", b.provider_contact_id AS "providerContactId",
  b.provider_fund_account_id AS "providerFundAccountId",
  b.provider_validation_id AS "providerValidationId",
  b.validation_attempt AS "validationAttempt",
  b.validation_requested_at AS "validationRequestedAt", b.deleted_at AS "deletedAt",
  b.created_at AS "createdAt"`;

/** Customers' bank accounts: what is listed, added, chosen and deleted. */
export const createBankAccountStore = (db: Db) => {
  const select = (rest: Prisma.Sql): Promise<BankAccount[]> =>
    db.$queryRaw<BankAccount[]>`SELECT ${columns} FROM bank_account b WHERE ${rest}`;
  const live = Prisma.sql`b.deleted_at IS NULL`;

  return {
    find: async (id: string) => (await select(Prisma.sql`b.id = ${id}::uuid`))[0],

    /** The caller's own, not deleted. */
    findOwn: async (id: string, userId: string) =>
      (await select(Prisma.sql`b.id = ${id}::uuid AND b.user_id = ${userId}::uuid AND ${live}`))[0],

    /** The same, locked. */
    lockOwn: async (id: string, userId: string) =>
      (
        await select(Prisma.sql`
          b.id = ${id}::uuid AND b.user_id = ${userId}::uuid AND ${live} FOR UPDATE`)
      )[0],

    lock: async (id: string) => (await select(Prisma.sql`b.id = ${id}::uuid FOR UPDATE`))[0],

    /** Locked against changes, not against others who read it so. */
    lockForUse: async (id: string) => (await select(Prisma.sql`b.id = ${id}::uuid FOR SHARE`))[0],

    findByValidation: async (provider: string, validationId: string) =>
      (
        await select(Prisma.sql`
          b.provider = ${provider} AND b.provider_validation_id = ${validationId}`)
      )[0],

    async list(userId: string, page: Page) {
      const [rows, total] = await Promise.all([
        select(Prisma.sql`
          b.user_id = ${userId}::uuid AND ${live}
          ORDER BY b.created_at DESC, b.id DESC LIMIT ${page.limit} OFFSET ${offsetOf(page)}`),
        db.bankAccount.count({ where: { userId, deletedAt: null } }),
      ]);
      return { rows, total };
    },

    /** How many the customer has. Counted with the holding locked. */
    count: (userId: string): Promise<number> =>
      db.bankAccount.count({ where: { userId, deletedAt: null } }),

    /** PENDING, its first validation to be asked for. */
    async insert(account: NewBankAccount): Promise<void> {
      const { createdAt, ...rest } = account;
      await db.bankAccount.create({
        data: {
          ...rest,
          status: 'PENDING',
          validationAttempt: 1,
          createdAt,
          updatedAt: createdAt,
        },
      });
    },

    /** Makes it the one primary account of the customer, whose holding is locked. */
    async makePrimary(account: Pick<BankAccount, 'id' | 'userId'>, at: Date): Promise<void> {
      await db.$executeRaw`
        UPDATE bank_account SET is_primary = false, updated_at = ${at}::timestamptz
        WHERE user_id = ${account.userId}::uuid AND is_primary AND id <> ${account.id}::uuid`;
      await db.$executeRaw`
        UPDATE bank_account SET is_primary = true, updated_at = ${at}::timestamptz
        WHERE id = ${account.id}::uuid AND deleted_at IS NULL`;
    },

    hasPrimary: async (userId: string): Promise<boolean> =>
      (await select(Prisma.sql`b.user_id = ${userId}::uuid AND b.is_primary AND ${live}`)).length >
      0,

    /** The verified one that has been there longest. */
    oldestVerified: async (userId: string) =>
      (
        await select(Prisma.sql`
          b.user_id = ${userId}::uuid AND b.status = 'VERIFIED' AND ${live}
          ORDER BY b.verified_at, b.id LIMIT 1`)
      )[0],

    /** The row stays, for the payouts that went there. */
    async delete(id: string, at: Date): Promise<void> {
      await db.$executeRaw`
        UPDATE bank_account
        SET deleted_at = ${at}::timestamptz, is_primary = false, primary_wanted = false,
          updated_at = ${at}::timestamptz
        WHERE id = ${id}::uuid AND deleted_at IS NULL`;
    },

    /** FAILED -> PENDING, with a further validation to be asked for. */
    async reopen(id: string, at: Date): Promise<boolean> {
      const count = await db.$executeRaw`
        UPDATE bank_account
        SET status = 'PENDING', validation_attempt = validation_attempt + 1,
          provider_validation_id = NULL, validation_requested_at = NULL, failure_reason = NULL,
          updated_at = ${at}::timestamptz
        WHERE id = ${id}::uuid AND status = ANY(${statesBefore('PENDING')}::text[])
          AND deleted_at IS NULL`;
      return count === 1;
    },

    /** Keeps where payouts go; false when another process was quicker. */
    async keepFundAccount(id: string, fund: FundAccount, at: Date): Promise<boolean> {
      const count = await db.$executeRaw`
        UPDATE bank_account
        SET provider_contact_id = ${fund.contactId},
          provider_fund_account_id = ${fund.fundAccountId}, updated_at = ${at}::timestamptz
        WHERE id = ${id}::uuid AND provider_fund_account_id IS NULL`;
      return count === 1;
    },
  };
};
