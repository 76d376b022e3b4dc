import { withConnection } from '../../dev/stack/database-setup.ts';

/** Rows of a customer, as the owner of the tables writes them. */
interface BusyCustomer {
  readonly userId: string;
  /** A multiple of 5. */
  readonly transactions: number;
  /** The newest. Two at a time share their moment, and the others lie `everyMinutes` apart. */
  readonly newest: Date;
  readonly everyMinutes: number;
}

/** An id made of the customer's, the kind and the number of a row, in the form of a UUIDv7. */
const id = (kind: string, number = 'n'): string =>
  `overlay(overlay(md5($1 || '${kind}' || (${number})) PLACING '7' FROM 13) PLACING '8' FROM 17)::uuid`;
const moment = `($3::timestamptz - (n / 2) * $4 * interval '1 minute')`;
/** An installment pays out in the row before it: what is paid out is of no matter here. */
const rows = `generate_series(1, $2::int) AS n WHERE n % 5`;

const statements: readonly string[] = [
  `INSERT INTO bank_account (id, user_id, status, number_sealed, number_hash, account_last4, ifsc,
     holder_name_sealed, created_at, updated_at)
   SELECT ${id('bank', '0')}, $1::uuid, 'VERIFIED', 'x', 'x', '9999', 'HDFC0000053', 'x', $3, $3
   FROM (SELECT $2::int, $4::int) AS unused`,
  `INSERT INTO sip_plan (id, user_id, status, amount_paise, frequency, duration_installments,
     start_date, cancelled_at, created_at, updated_at)
   SELECT ${id('plan')}, $1::uuid, 'CANCELLED', 100000, 'DAILY', 240, $3::date, $3, $3, $3
   FROM generate_series(0, $2::int / 240) AS n, (SELECT $4::int) AS unused`,
  `INSERT INTO gold_order (id, user_id, type, status, unit, amount_paise, sip_plan_id,
     installment_no, due_at, created_at, updated_at)
   SELECT ${id('gold')}, $1::uuid, 'SIP_INSTALLMENT', 'FAILED', 'INR', 100000 + n,
     ${id('plan', 'n / 240')}, 1 + n % 240, ${moment}, ${moment}, ${moment}
   FROM ${rows} > 1`,
  `INSERT INTO product_order (id, user_id, status, items_total_paise, gst_paise, gst_rate_bps,
     delivery_fee_paise, total_paise, shipping_address_sealed, created_at, updated_at)
   SELECT ${id('product')}, $1::uuid, 'DELIVERED', 1000, 30, 300, n, 1030 + n, 'x', ${moment},
     ${moment}
   FROM ${rows} = 0`,
  `INSERT INTO payout (id, user_id, order_id, bank_account_id, amount_paise, status, created_at,
     updated_at)
   SELECT ${id('payout')}, $1::uuid, ${id('gold', 'n + 1')}, ${id('bank', '0')}, n, 'FAILED',
     ${moment}, ${moment}
   FROM ${rows} = 1`,
];

/** Gives a customer three installments to one product order and one payout, so many in all. */
export const insertBusyCustomer = (migrateUrl: string, given: BusyCustomer): Promise<void> =>
  withConnection(migrateUrl, async (client) => {
    const { userId, transactions, newest, everyMinutes } = given;
    for (const sql of statements) {
      await client.query(sql, [userId, transactions, newest.toISOString(), everyMinutes]);
    }
    await client.query('ANALYZE');
  });
