import { publishedDataKeys } from '../stack/environment.ts';
import { withConnection } from '../stack/database-setup.ts';
import { customerStatements } from './customer-rows.ts';
import { holdingStatements } from './holding-rows.ts';
import { createFillSealing, type FillKeys, type FillSealing } from './fill-sealing.ts';
import { moneyStatements } from './money-rows.ts';
import { sealPersonalData } from './personal-rows.ts';
import { orderStatements } from './order-rows.ts';
import { productStatements } from './product-rows.ts';
import { mostSeries, sqlTermsOf, type Series, type SqlTerms } from './series.ts';
import { withBareTables } from './bare-tables.ts';
import { planStatements } from './trade-plan.ts';

/** The longest series whose ids, phone numbers and transactions are unique. */
const maxLength = 10_000_000;

const fill = async (migrateUrl: string, terms: SqlTerms, sealing: FillSealing): Promise<void> => {
  await withConnection(migrateUrl, async (client) => {
    await client.query('BEGIN');
    await client.query(
      `SET LOCAL work_mem = '256MB'; SET LOCAL maintenance_work_mem = '512MB';
       SET LOCAL synchronous_commit = off; SET LOCAL temp_buffers = '256MB'`,
    );
    await withBareTables(client, terms.orders, async () => {
      for (const sql of planStatements(terms)) await client.query(sql);
      await sealPersonalData(client, terms, sealing);
      const statements = [
        ...customerStatements(terms),
        ...orderStatements(terms),
        ...holdingStatements(terms),
        ...moneyStatements(terms),
        ...productStatements(terms),
      ];
      for (const sql of statements) await client.query(sql);
    });
    await client.query('COMMIT');
    await client.query('VACUUM ANALYZE');
  });
};

/**
 * Fills a database, as the owner of its tables, with the customers and books of a series,
 * completely or not at all. Every rule over the database holds after it as before. Personal data is
 * sealed with the service's keys, by default those of the local stack. No other process may use
 * these tables meanwhile.
 * @throws RangeError for a series that is too long, or whose number is not 1 to 15
 */
export const fillDatabase = async (
  migrateUrl: string,
  given: Series,
  keys: FillKeys = publishedDataKeys,
): Promise<void> => {
  const { series, orders, users } = given;
  const isWhole = [series, orders, users].every((count) => Number.isInteger(count) && count > 0);
  if (!isWhole || series > mostSeries || Math.max(orders, users) > maxLength || users < 10) {
    throw new RangeError(
      `a series is 1 to ${mostSeries}, of up to ${maxLength} orders and 10 to ${maxLength} users`,
    );
  }
  const terms = sqlTermsOf(given);
  const sealing = createFillSealing(migrateUrl, keys);
  try {
    await fill(migrateUrl, terms, sealing);
  } finally {
    await sealing.close();
  }
};
