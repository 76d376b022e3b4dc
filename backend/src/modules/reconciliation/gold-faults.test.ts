import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBooks, type OpenBooks } from '#test/support/open-books.ts';
import { createFoundBy, type FoundBy } from '#test/support/found-by.ts';

let books: OpenBooks;
let foundBy: FoundBy;
beforeAll(async () => {
  books = await openBooks();
  foundBy = createFoundBy(books);
});
afterAll(() => books.close());

it('the reconciliation finds a balance that no movement made', async () => {
  const found = await foundBy(async () => {
    const { userId } = await books.buy();
    await books.asOwner('UPDATE holding SET balance = balance + 0.5 WHERE user_id = $1', userId);
    return { userId };
  });
  expect(found).toEqual(['holding_balance_drift']);
});

it('the reconciliation finds invested rupees that no movement made', async () => {
  const found = await foundBy(async () => {
    const { userId } = await books.buy();
    await books.asOwner(
      'UPDATE holding SET invested_paise = invested_paise + 1 WHERE user_id = $1',
      userId,
    );
    return { userId, investedPaise: 100_001, sumOfMovementsPaise: 100_000 };
  });
  expect(found).toEqual(['holding_invested_drift']);
});

it('the reconciliation finds a sale that took a wrong share of the invested amount', async () => {
  const found = await foundBy(async () => {
    const { userId, orderId } = await books.sell();
    await books.asOwner('ALTER TABLE holding_movement DISABLE TRIGGER USER');
    await books.asOwner(
      `UPDATE holding_movement SET invested_paise = invested_paise - 7,
         invested_after_paise = invested_after_paise - 7 WHERE order_id = $1`,
      orderId,
    );
    await books.asOwner('ALTER TABLE holding_movement ENABLE TRIGGER USER');
    await books.asOwner(
      'UPDATE holding SET invested_paise = invested_paise - 7 WHERE user_id = $1',
      userId,
    );
    return { userId, orderId };
  });
  expect(found).toEqual(['holding_invested_drift']);
});

it('the reconciliation finds gold that the provider says it did not sell', async () => {
  const found = await foundBy(async () => {
    const { orderId, userId, txId } = await books.buy();
    await books.control('POST', `/transactions/${txId}`, { status: 2 });
    const atProvider = 'FAILED';
    return { problem: 'TRADED_HERE_ONLY', orderId, userId, providerTxId: txId, atProvider };
  });
  expect(found).toEqual(['provider_transaction_mismatch']);
});

it('the reconciliation finds gold that the provider sold for an abandoned order', async () => {
  const found = await foundBy(async () => {
    const { orderId, userId, txId } = await books.place(await books.customer());
    await books.asOwner(
      `INSERT INTO provider_operation (id, order_id, user_id, provider, operation, status,
         provider_tx_id, grams, verified_at, started_at, settled_at)
       VALUES ($1, $2, $3, 'safegold', 'buy-confirm', 'REFUSED', $4, 1, $5, $5, $5)`,
      randomUUID(),
      orderId,
      userId,
      txId,
      books.system.clock.now(),
    );
    await books.asOwner(`UPDATE gold_order SET status = 'FAILED' WHERE id = $1`, orderId);
    await books.control('POST', `/transactions/${txId}`, { status: 1 });
    return { problem: 'TRADED_THERE_ONLY', orderId, providerTxId: txId, atProvider: 'SUCCESS' };
  });
  expect(found).toEqual(['provider_transaction_mismatch']);
});

it('the reconciliation finds gold at the provider that no order of its customer explains', async () => {
  const found = await foundBy(async () => {
    const bought = await books.buy();
    const { txId, userId, providerUserId } = await books.place(bought);
    await books.control('POST', `/transactions/${txId}`, { status: 1 });
    return { problem: 'BALANCE', userId, providerUserId };
  });
  expect(found).toEqual(['provider_transaction_mismatch']);
});

it('the reconciliation finds a provider transaction that two orders name', async () => {
  const found = await foundBy(async () => {
    const { txId, orderId } = await books.buy();
    const other = await books.buy();
    await books.asOwner(
      `INSERT INTO provider_operation (id, order_id, user_id, provider, operation, status,
         provider_tx_id, grams, verified_at, started_at, settled_at)
       VALUES ($1, $2, $3, 'safegold', 'buy-confirm', 'REFUSED', $4, 1, $5, $5, $5)`,
      randomUUID(),
      other.orderId,
      other.userId,
      txId,
      books.system.clock.now(),
    );
    const [first, second] = [orderId, other.orderId].toSorted();
    return { providerTxId: txId, orders: 2, orderId: first, otherOrderId: second };
  });
  expect(found).toEqual(['duplicate_provider_transaction']);
});

it('the reconciliation finds two orders of one provider transaction if the unique key is gone', async () => {
  const found = await foundBy(async () => {
    await books.asOwner('DROP INDEX gold_order_provider_provider_tx_id_key');
    const { txId } = await books.buy();
    const other = await books.buy();
    await books.asOwner(
      'UPDATE gold_order SET provider_tx_id = $2 WHERE id = $1',
      other.orderId,
      txId,
    );
    return { providerTxId: txId, orders: 2 };
  });
  expect(found).toEqual(['duplicate_provider_transaction']);
});
