import { signInCustomer } from '../acts/sign-in-customer.ts';
import type { Step } from '../demo.types.ts';

/** A new customer, with a number that nobody had before. */
export const signIn: Step = {
  title: 'A new customer signs in with a one-time code',
  async run(demo) {
    const { customer, otp, validSeconds } = await signInCustomer(demo, 'Asha Rao');
    demo.keep('customer', customer);
    return [
      `${customer.numbers.phone} was sent the code ${otp}, good for ${validSeconds} s`,
      `customer ${customer.userId}`,
    ];
  },
};
