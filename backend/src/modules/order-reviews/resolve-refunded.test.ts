import { describe, expect } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { codeOf } from '#test/support/caller.ts';
import { reviewTest } from '#test/support/review-test.ts';
import { operatorId } from '#test/support/reviewed-buys.ts';

const it = reviewTest();

describe('REFUNDED', () => {
  it('of the only payment fails the order, with its reference and an audit row', async ({
    open,
    buys,
  }) => {
    const { buy, paymentId } = await buys.late();
    const reference = await buys.payBack(paymentId);
    const answer = await buys.resolve(buy.id, 'REFUNDED', { reference });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      status: 'FAILED',
      refund_reference: reference,
      manual_review_code: null,
      payments: [{ status: 'REFUNDED' }],
    });
    expect(answer.body.events.at(-1)).toMatchObject({
      from: 'MANUAL_REVIEW',
      to: 'FAILED',
      cause: 'resolve.refunded',
      actor: `admin:${operatorId}`,
    });
    expect(await buys.paymentDispositions(buy)).toEqual(['REFUNDED']);
    const [audit, ...more] = await open.database.db.auditLog.findMany({
      where: { targetId: buy.id },
    });
    expect(more).toEqual([]);
    expect(audit).toMatchObject({
      action: 'order.resolve',
      actorId: operatorId,
      before: { status: 'MANUAL_REVIEW', manual_review_code: 'LATE_CAPTURE' },
      after: { status: 'FAILED', resolution: 'REFUNDED', reference },
    });
    // The operator's note is sealed in the audit row, and stored nowhere else.
    expect(audit?.sealed).toMatch(/^v1\./u);
    const events = await open.database.db.goldOrderEvent.findMany({ where: { orderId: buy.id } });
    const kept = JSON.stringify([audit?.before, audit?.after, events.map(({ detail }) => detail)]);
    expect(kept).not.toContain('looked into');
    expect(codeOf(await buys.resolve(buy.id, 'REFUNDED', { reference }))).toEqual([
      409,
      'ILLEGAL_TRANSITION',
    ]);
  });

  it('needs a reference, and a refund of the full amount at the gateway', async ({ buys }) => {
    const { buy, paymentId } = await buys.late();
    const without = await buys.resolve(buy.id, 'REFUNDED');
    expect(without.body.error).toMatchObject({ code: 'VALIDATION_FAILED', field: 'reference' });
    const invented = { reference: 'invented' };
    expect((await buys.resolve(buy.id, 'REFUNDED', invented)).status).toBe(409);
    const reference = await buys.payBack(paymentId, { amountPaise: 40_000 });
    expect(codeOf(await buys.resolve(buy.id, 'REFUNDED', { reference }))).toEqual([
      409,
      'OUTCOME_UNDECIDED',
    ]);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'LATE_CAPTURE');
    await buys.payBack(paymentId);
    expect((await buys.resolve(buy.id, 'REFUNDED', { reference })).body.status).toBe('FAILED');
  });

  it('is refused while a gateway with an adapter does not answer', async ({ buys }) => {
    const { buy, paymentId } = await buys.late();
    const reference = await buys.payBack(paymentId);
    await buys.gatewayFault('get-refund', 'timeout', 10);
    const answer = await buys.resolve(buy.id, 'REFUNDED', { reference });
    expect(codeOf(answer)).toEqual([503, 'SERVICE_UNAVAILABLE']);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'LATE_CAPTURE');
    expect(await buys.paymentDispositions(buy)).toEqual(['LATE']);
  });

  it('fails an order that was paid in time and could not be allocated', async ({ open, buys }) => {
    const buy = await buys.place();
    const paymentId = await buys.pay(buy);
    await buys.becomes(buy, 'PAID');
    await open.advance(480);
    await open.allocate(buy.id);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'PROVIDER_LOCK_EXPIRED');
    const reference = await buys.payBack(paymentId);
    expect((await buys.resolve(buy.id, 'REFUNDED', { reference })).body.status).toBe('FAILED');
    expect(await buys.paymentOrderStatus(buy)).toBe('REFUNDED');
    const [holding] = await open.database.db.holding.findMany({ where: { userId: buy.userId } });
    expect(holding?.balance.toFixed(4)).toBe('0.0000');
  });

  it('fails no order while another payment is held that no event has reported', async ({
    buys,
  }) => {
    const { buy, paymentId } = await buys.late();
    const secondId = await buys.pay(buy, { deliver: 'none' });
    const first = await buys.payBack(paymentId);
    const { body } = await buys.resolve(buy.id, 'REFUNDED', { reference: first });
    expect(body).toMatchObject({ status: 'MANUAL_REVIEW', manual_review_code: 'SECOND_CAPTURE' });
    expect(await buys.paymentDispositions(buy)).toEqual(['REFUNDED', 'SECOND']);
    const reference = await buys.payBack(secondId, { deliver: 'none' });
    const answer = await buys.resolve(buy.id, 'REFUNDED', { reference });
    expect(answer.body).toMatchObject({ status: 'FAILED', refund_reference: reference });
  });

  it('of a payment that arrives after the refund of the first fails the order again', async ({
    buys,
  }) => {
    const { buy, paymentId } = await buys.late();
    const first = await buys.payBack(paymentId);
    expect((await buys.resolve(buy.id, 'REFUNDED', { reference: first })).body.status).toBe(
      'FAILED',
    );
    const secondId = await buys.pay(buy);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'SECOND_CAPTURE');
    const reference = await buys.payBack(secondId);
    const answer = await buys.resolve(buy.id, 'REFUNDED', { reference });
    expect(answer.body).toMatchObject({ status: 'FAILED', refund_reference: reference });
    expect(await buys.paymentDispositions(buy)).toEqual(['REFUNDED', 'REFUNDED']);
  });

  it('ends the review of a wrong amount, whose payment order also becomes REFUNDED', async ({
    buys,
  }) => {
    const buy = await buys.place();
    const paymentId = await buys.pay(buy, { amountPaise: 99_999 });
    await buys.becomes(buy, 'MANUAL_REVIEW', 'AMOUNT_MISMATCH');
    expect((await buys.resolve(buy.id, 'ALLOCATE')).status).toBe(409);
    const reference = await buys.payBack(paymentId);
    expect((await buys.resolve(buy.id, 'REFUNDED', { reference })).body.status).toBe('FAILED');
    expect(await buys.paymentOrderStatus(buy)).toBe('REFUNDED');
  });

  it('of a second payment does not affect the gold', async ({ buys }) => {
    const { buy, secondId } = await buys.paidTwice();
    expect(codeOf(await buys.resolve(buy.id, 'KEEP'))).toEqual([409, 'ILLEGAL_TRANSITION']);
    const reference = await buys.payBack(secondId);
    const answer = await buys.resolve(buy.id, 'REFUNDED', { reference });
    expect(answer.body).toMatchObject({ status: 'ALLOCATED', refund_reference: null });
    expect(await buys.paymentDispositions(buy)).toEqual(['APPLIED', 'REFUNDED']);
    expect(await buys.paymentOrderStatus(buy)).toBe('PAID');
  });

  it('is refused for the payment whose gold is held', async ({ buys }) => {
    const { buy, paymentId } = await buys.paidTwice();
    const reference = await buys.payBack(paymentId);
    const answer = await buys.resolve(buy.id, 'REFUNDED', { reference });
    expect(codeOf(answer)).toEqual([409, 'ILLEGAL_TRANSITION']);
  });

  it('of a second payment continues with the allocation if there is no gold yet', async ({
    open,
    buys,
  }) => {
    const buy = await buys.place();
    await buys.pay(buy);
    await buys.becomes(buy, 'PAID');
    const secondId = await buys.pay(buy);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'SECOND_CAPTURE');
    const reference = await buys.payBack(secondId);
    const answer = await buys.resolve(buy.id, 'REFUNDED', { reference });
    expect(answer.body).toMatchObject({ status: 'PAID', manual_review_code: null });
    await open.allocate(buy.id);
    await buys.becomes(buy, 'ALLOCATED');
  });

  it('of one of three payments leaves the other payments under review', async ({ buys }) => {
    const { buy, secondId } = await buys.paidTwice();
    const thirdId = await buys.pay(buy);
    await eventually(async () => (await buys.paymentDispositions(buy)).length === 3);
    const second = await buys.payBack(secondId);
    const answer = await buys.resolve(buy.id, 'REFUNDED', { reference: second });
    expect(answer.body).toMatchObject({
      status: 'MANUAL_REVIEW',
      manual_review_code: 'SECOND_CAPTURE',
    });
    const third = await buys.payBack(thirdId);
    expect((await buys.resolve(buy.id, 'REFUNDED', { reference: third })).body.status).toBe(
      'ALLOCATED',
    );
  });

  it('and ALLOCATE are refused while a confirm is undecided, without a query of a gateway', async ({
    open,
    buys,
  }) => {
    const buy = await buys.place();
    await buys.pay(buy);
    await buys.becomes(buy, 'PAID');
    await open.fault('buy-confirm', 'timeout');
    await open.fault('buy-status', 'timeout', { times: 20 });
    await open.allocate(buy.id);
    await open.advance(480);
    await open.allocate(buy.id);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'PROVIDER_LOCK_EXPIRED');
    await buys.gatewayFault('*', 'error', 10);
    const undecided = [409, 'OUTCOME_UNDECIDED'];
    expect(codeOf(await buys.resolve(buy.id, 'REFUNDED', { reference: 'any' }))).toEqual(undecided);
    expect(codeOf(await buys.resolve(buy.id, 'ALLOCATE'))).toEqual(undecided);
  });

  it('by two concurrent operators is recorded once', async ({ open, buys }) => {
    const { buy, paymentId } = await buys.late();
    const reference = await buys.payBack(paymentId);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => buys.resolve(buy.id, 'REFUNDED', { reference })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 409, 409, 409,
    ]);
    const loser = answers.find(({ status }) => status === 409);
    expect(loser?.body).toMatchObject({ error: { details: { status: 'FAILED' } } });
    expect(await open.database.db.auditLog.count({ where: { targetId: buy.id } })).toBe(1);
  });
});

describe('KEEP', () => {
  it('changes an order whose payment failed later back to ALLOCATED', async ({ buys }) => {
    const { buy, paymentId } = await buys.allocated();
    await buys.failPayment(buy, paymentId);
    expect((await buys.resolve(buy.id, 'ALLOCATE')).status).toBe(409);
    const answer = await buys.resolve(buy.id, 'KEEP');
    expect(answer.body).toMatchObject({ status: 'ALLOCATED', manual_review_code: null });
    expect((await buys.resolve(buy.id, 'KEEP')).status).toBe(409);
  });

  it('is refused if there is no gold', async ({ buys }) => {
    const { buy } = await buys.late();
    expect(codeOf(await buys.resolve(buy.id, 'KEEP'))).toEqual([409, 'ILLEGAL_TRANSITION']);
  });
});
