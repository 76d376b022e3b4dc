import { describe, expect } from 'vitest';
import { payoutTest } from '#test/support/payout-test.ts';
import type { Answer, Caller } from '#test/support/caller.ts';
import type { OpenPayouts } from '#test/support/open-payouts.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { endOfIstDay } from '../../platform/clock/ist.ts';

const it = payoutTest();

const most = 10;
const limited = { status: 429, code: 'VALIDATION_LIMIT' };

const add = (
  open: OpenPayouts,
  call: Caller,
  accountNumber = `${open.system.random.digits(8)}8888`,
): Promise<Answer> =>
  call('POST', '/bank-accounts', { accountNumber, ifsc: 'HDFC0000053', holderName: 'Asha Rao' });
const addAndDelete = async (open: OpenPayouts, call: Caller): Promise<Answer> => {
  const answer = await add(open, call);
  await call('DELETE', `/bank-accounts/${String(answer.body['id'])}`);
  return answer;
};
/** Makes the account's validation fail, so that the customer can request another. */
const failValidation = (open: OpenPayouts, id: string) =>
  open.system.db.bankAccount.update({
    where: { id },
    data: { status: 'FAILED', failureReason: 'x' },
  });
const statusesOf = (answers: readonly Answer[]) =>
  answers.map(({ code, status }) => code ?? status);

describe('penny-drops of a customer in one IST day', () => {
  it('are limited to 10, including deleted accounts, until the next day', async ({ open }) => {
    const { call } = await open.customer();
    open.system.clock.set(addMs(endOfIstDay(open.system.clock.now()), -2 * 3_600_000));
    for (let count = 0; count < most; count += 1) {
      expect(await addAndDelete(open, call)).toMatchObject({ status: 201 });
    }
    const refused = await add(open, call);
    expect(refused).toMatchObject(limited);
    expect(Number(refused.headers.get('retry-after'))).toBe(7200);
    const { call: another } = await open.customer();
    expect(await add(open, another)).toMatchObject({ status: 201 });
    open.system.clock.advance(2 * 3_600_000);
    expect(await add(open, call)).toMatchObject({ status: 201 });
  });

  it('count a repeated validation, but not a query of an open one', async ({ open }) => {
    const { call } = await open.customer();
    const id = String((await add(open, call)).body['id']);
    const verify = () => call('PATCH', `/bank-accounts/${id}/verify`);
    for (let count = 1; count < most; count += 1) {
      await failValidation(open, id);
      expect(await verify()).toMatchObject({ status: 200, body: { status: 'PENDING' } });
      expect(await verify()).toMatchObject({ status: 200 });
    }
    await failValidation(open, id);
    expect(await verify()).toMatchObject(limited);
    const where = { id };
    expect(await open.system.db.bankAccount.findUniqueOrThrow({ where })).toMatchObject({
      status: 'FAILED',
      validationAttempt: most,
    });
    expect(await add(open, call)).toMatchObject(limited);
  });

  it('are counted exactly when accounts are added concurrently', async ({ open }) => {
    const { call } = await open.customer();
    for (let count = 0; count < 8; count += 1) await addAndDelete(open, call);
    const answers = statusesOf(await Promise.all(Array.from({ length: 6 }, () => add(open, call))));
    expect(answers.filter((answer) => answer === 201)).toHaveLength(2);
    expect(answers.filter((answer) => answer === 'VALIDATION_LIMIT')).toHaveLength(4);
  });

  it('do not count refused requests', async ({ open }) => {
    const { call } = await open.customer();
    for (let count = 0; count < 8; count += 1) await addAndDelete(open, call);
    const number = `${open.system.random.digits(8)}8888`;
    expect(await add(open, call, number)).toMatchObject({ status: 201 });
    expect(await add(open, call, number)).toMatchObject({ code: 'BANK_ACCOUNT_DUPLICATE' });
    expect(await add(open, call)).toMatchObject({ status: 201 });
    expect(await add(open, call)).toMatchObject(limited);
  });
});

it('a customer can have at most 5 accounts, even if they are added concurrently', async ({
  open,
}) => {
  const { call } = await open.customer();
  const answers = statusesOf(await Promise.all(Array.from({ length: 9 }, () => add(open, call))));
  expect(answers.filter((answer) => answer === 201)).toHaveLength(5);
  expect(answers.filter((answer) => answer === 'BANK_ACCOUNT_LIMIT')).toHaveLength(4);
});
