import { signInOperator } from '../acts/sign-in-operator.ts';
import type { Step } from '../demo.types.ts';

/** An operator, and what one may not do who only supports customers. */
export const signInAsOperator: Step = {
  title: 'An operator signs in',
  async run(demo) {
    const { operator, validSeconds } = await signInOperator(demo, 'ADMIN');
    demo.keep('operator', operator);
    const support = (await signInOperator(demo, 'SUPPORT')).operator;
    await support.api.refused({
      method: 'POST',
      path: '/price/config',
      body: { buySpreadBps: 0, sellSpreadBps: 0 },
      status: 403,
      code: 'FORBIDDEN',
    });
    await support.api.with({ authorization: 'Bearer none' }).refused({
      method: 'GET',
      path: '/orders',
      status: 401,
      code: 'UNAUTHENTICATED',
    });
    return [
      `${operator.email} for ${validSeconds / 3600} hours`,
      'SUPPORT may not set the price spread: 403 FORBIDDEN',
    ];
  },
};
