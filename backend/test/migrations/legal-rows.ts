import type { Client } from 'pg';
import {
  bankAccountRow,
  buyOrderRow,
  buyQuoteRow,
  holdingRow,
  insert,
  productOrderRow,
  productRow,
  sellOrderRow,
  sellQuoteRow,
  sipPlanRow,
  userRow,
} from './rows.ts';

export interface LegalRows {
  readonly userId: string;
  readonly bankAccountId: string;
  readonly buyQuoteId: string;
  readonly buyOrderId: string;
  readonly sellQuoteId: string;
  readonly sellOrderId: string;
  readonly planId: string;
  readonly productId: string;
  readonly productOrderId: string;
}

const idOf = (row: Readonly<Record<string, unknown>>): string => String(row['id']);

/**
 * Legal rows: a customer with a bank account, a holding, a buy, a sale, a plan, a product order.
 */
export const insertLegalRows = async (client: Client): Promise<LegalRows> => {
  const user = userRow();
  const userId = idOf(user);
  const bankAccount = bankAccountRow(userId);
  const buyQuote = buyQuoteRow(userId);
  const sellQuote = sellQuoteRow(userId);
  const buyOrder = buyOrderRow(userId, idOf(buyQuote));
  const sellOrder = sellOrderRow(userId, idOf(sellQuote), idOf(bankAccount));
  const plan = sipPlanRow(userId);
  const product = productRow();
  const productOrder = productOrderRow(userId);
  await insert(client, 'app_user', user);
  await insert(client, 'holding', holdingRow(userId));
  await insert(client, 'bank_account', bankAccount);
  await insert(client, 'gold_quote', buyQuote);
  await insert(client, 'gold_quote', sellQuote);
  await insert(client, 'gold_order', buyOrder);
  await insert(client, 'gold_order', sellOrder);
  await insert(client, 'sip_plan', plan);
  await insert(client, 'product', product);
  await insert(client, 'product_order', productOrder);
  return {
    userId,
    bankAccountId: idOf(bankAccount),
    buyQuoteId: idOf(buyQuote),
    buyOrderId: idOf(buyOrder),
    sellQuoteId: idOf(sellQuote),
    sellOrderId: idOf(sellOrder),
    planId: idOf(plan),
    productId: idOf(product),
    productOrderId: idOf(productOrder),
  };
};
