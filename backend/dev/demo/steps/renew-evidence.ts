import { addSeconds } from '../../../src/platform/clock/clock.ts';
import type { Step } from '../demo.types.ts';
import { expectPresent, expectThat } from '../step-failure.ts';
import { signInOperator } from './sign-in-operator.ts';

const daySeconds = 24 * 3600;

/** Evidence that is about to end warns, and what it was before stands again at once. */
export const renewEvidence: Step = {
  title: 'A super admin gives evidence a last day, and takes it away again',
  async run(demo) {
    const { operator } = await signInOperator(demo, 'SUPER_ADMIN');
    const item = 'merchant_tax_registration' as const;
    const read = async () => {
      const { body } = await operator.api.get('/v1/readiness');
      const found = body.items.find(({ id }) => id === item);
      return expectPresent(found, item);
    };
    const { evidence, status: before } = await read();
    const { value, reference, verified, expiresOn } = expectPresent(evidence, 'evidence');
    const put = (day?: string) =>
      operator.api.put('/v1/readiness/evidence/{item}', {
        path: { item },
        body: { value, reference, verified, ...(day !== undefined && { expiresOn: day }) },
      });
    // A day on from the buy of this story is today or tomorrow, in India too.
    const { order } = demo.readState('buy');
    const soon = addSeconds(new Date(order.created_at), daySeconds).toISOString().slice(0, 10);
    await put(soon);
    const ending = await read();
    expectThat(ending.warning !== undefined, 'nothing warns of evidence that ends');
    await put(expiresOn ?? undefined);
    const after = await read();
    expectThat(after.status === before, `the item is ${after.status}, and was ${before}`);
    return [
      `with ${soon} as its last day: ${ending.status}, and ${ending.warning}`,
      `given back as it was: ${after.status}`,
    ];
  },
};
