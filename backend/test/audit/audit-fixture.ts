import { Client } from 'pg';
import { createFactories, type Factories, type MadeAdmin } from '#test/support/factories.ts';
import type { OpenAdminApi } from '#test/support/open-admin-api.ts';
import {
  bankAccountRow,
  buyOrderRow,
  buyQuoteRow,
  holdingRow,
  insert,
  payoutRow,
  productOrderRow,
  productRow,
  sellOrderRow,
  sellQuoteRow,
  userRow,
  type Row,
} from '../migrations/rows.ts';
import { sealContent } from '../../src/modules/approvals/approval-sealing.ts';
import { insertApproval } from '../../src/modules/approvals/approvals.store.ts';
import { createSecondFactors } from '../../src/modules/second-factor/index.ts';
import { totpCode } from '../../src/platform/auth/totp.ts';
import { addSeconds } from '../../src/platform/clock/clock.ts';
import { openTicket } from '../../src/modules/support/open-ticket.ts';

const idOf = (row: Row): string => String(row['id']);

/** Makes what the writes of operators change, straight in the database. */
export interface AuditFixture {
  readonly factories: Factories;
  /** Inserts a row and returns its id. */
  add(table: string, row: Row): Promise<string>;
  /** Inserts a customer with an empty holding and returns the id. */
  customer(): Promise<string>;
  /** Runs a statement as the application. */
  run(statement: string, values: readonly unknown[]): Promise<readonly Row[]>;
  /** Inserts a product and returns its id. */
  product(): Promise<string>;
  /** Inserts an order of jewellery that was just placed. */
  productOrder(status?: 'PLACED' | 'PACKED' | 'DELIVERED'): Promise<string>;
  /** Inserts the payout of a sale in this state. */
  payout(status: 'PENDING' | 'FAILED'): Promise<string>;
  /** Inserts a buy that has its gold and is under review. */
  reviewedBuy(): Promise<string>;
  /** Opens a customer's ticket and returns its reference. */
  ticket(): Promise<string>;
  /** Submits a customer's KYC and returns the record's id. */
  submittedKyc(): Promise<string>;
  /** Stores a request for other spreads by an operator, and returns its id. */
  askedSpreads(by: MadeAdmin): Promise<string>;
  /** Gives an operator an authenticator app in this state, and returns a code of it. */
  readonly factorCode: (adminId: string, state: 'PENDING' | 'ACTIVE') => Promise<string>;
  close(): Promise<void>;
}

export const openAuditFixture = async ({ system }: OpenAdminApi): Promise<AuditFixture> => {
  const factories = createFactories(system);
  const client = new Client({ connectionString: system.addresses.appUrl });
  await client.connect();
  const add = async (table: string, row: Row): Promise<string> => {
    await insert(client, table, row);
    return idOf(row);
  };
  const customer = async (): Promise<string> => {
    const userId = await add('app_user', userRow());
    await insert(client, 'holding', holdingRow(userId));
    return userId;
  };

  return {
    factories,
    add,
    customer,
    run: async (statement, values) =>
      (await client.query<Record<string, unknown>>(statement, [...values])).rows,
    product: () => add('product', productRow()),
    productOrder: async (status = 'PLACED') =>
      add('product_order', { ...productOrderRow(await customer()), status }),
    async payout(status) {
      const userId = await customer();
      const accountId = await add('bank_account', bankAccountRow(userId));
      const quoteId = await add('gold_quote', sellQuoteRow(userId));
      const sale = { ...sellOrderRow(userId, quoteId, accountId), status: 'CONFIRMED' };
      const orderId = await add('gold_order', sale);
      return add('payout', { ...payoutRow(userId, orderId, accountId), status });
    },
    async reviewedBuy() {
      const userId = await customer();
      const quoteId = await add('gold_quote', buyQuoteRow(userId));
      const order = buyOrderRow(userId, quoteId);
      return add('gold_order', {
        ...order,
        status: 'MANUAL_REVIEW',
        manual_review_code: 'PAYMENT_REVERSED',
        manual_review_reason: 'the payment was disputed',
        allocated_at: order['updated_at'],
      });
    },
    async ticket() {
      const { userId } = await factories.customer();
      const content = {
        name: 'Asha Rao',
        category: 'GRIEVANCE',
        subject: 'My payout',
        message: 'It has not come.',
      } as const;
      return openTicket({ ...system, contactDays: 7 }, content, userId);
    },
    submittedKyc: async () => factories.submitKyc((await factories.customer()).userId),
    async askedSpreads({ adminId, email }) {
      const id = system.random.uuid();
      const body = { buySpreadBps: 140, sellSpreadBps: 60 };
      const content = { params: {}, body, before: {}, after: body };
      const requestedAt = system.clock.now();
      await insertApproval(system.db, {
        id,
        api: 'admin',
        action: 'spreads',
        method: 'POST',
        path: '/price/config',
        target: id,
        contentSealed: sealContent(system.vault, id, content),
        status: 'PENDING',
        requestedBy: adminId,
        requestedByEmail: email,
        requestedAt,
        expiresAt: addSeconds(requestedAt, 3600),
        decidedBy: null,
        decidedByEmail: null,
        decidedAt: null,
      });
      return id;
    },
    async factorCode(adminId, state) {
      const factors = createSecondFactors(system, 'admin');
      const now = system.wall.now();
      return system.inTransaction(async (tx) => {
        const { secret } = await factors.enrol(tx, adminId, 'operator');
        // A code counts for one period on either side, so both last if a period ends meanwhile.
        if (state !== 'ACTIVE') return totpCode(secret, now);
        await factors.confirm(tx, adminId, totpCode(secret, now));
        return totpCode(secret, addSeconds(now, 30));
      });
    },
    close: () => client.end(),
  };
};
