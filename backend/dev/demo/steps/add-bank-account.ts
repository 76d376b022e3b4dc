import type { Step } from '../demo.types.ts';
import { expectStatus } from '../expect-answer.ts';
import { expectThat } from '../step-failure.ts';
import { until } from '../until.ts';

/** The payout provider sends a rupee there, and the bank says whose account it is. */
export const addBankAccount: Step = {
  title: 'A bank account, verified by a penny-drop',
  async run(demo) {
    const { api, numbers, fullName } = demo.readState('customer');
    const { accountNumber } = numbers;
    const body = { accountNumber, ifsc: 'HDFC0001234', holderName: fullName };
    const added = await expectStatus(201, api.post('/v1/bank-accounts', { body }));
    expectThat(added.status === 'PENDING', `a new bank account reads ${added.status}`);
    const account = await until({
      timers: demo.timers,
      seconds: 20,
      look: async () => {
        const answer = await api.get('/v1/bank-accounts');
        const found = answer.body.items.find(({ id }) => id === added.id);
        expectThat(found !== undefined, 'the bank account is not in the list');
        return found;
      },
      isThere: ({ status }) => status === 'VERIFIED',
      otherwise: ({ status }) => `the bank account is still ${status}`,
    });
    expectThat(account.accountLast4 === accountNumber.slice(-4), 'its last four digits differ');
    expectThat(account.primary, 'the first verified account is not the primary one');
    demo.saveState('bankAccount', account);
    return [
      `••••${account.accountLast4} at ${account.ifsc}: PENDING -> VERIFIED, primary`,
      `the bank's own name fits with a score of ${account.nameMatchScore ?? 'none'}`,
    ];
  },
};
