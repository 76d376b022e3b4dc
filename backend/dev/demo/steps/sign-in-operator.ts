import { makeUpNumbers } from '../demo-numbers.ts';
import type { Demo, DemoOperator, Step } from '../demo.types.ts';
import { expectRefusal } from '../expect-answer.ts';

/** Signs an operator of this role in. */
export const signInOperator = async (
  demo: Demo,
  role: 'SUPER_ADMIN' | 'ADMIN' | 'SUPPORT',
): Promise<{ operator: DemoOperator; validSeconds: number }> => {
  const visitor = demo.visitor.admin(makeUpNumbers(demo.random).ip);
  const { body } = await visitor.post('/v1/auth/login', { body: demo.endpoints.admins[role] });
  const { id: adminId, email } = body.admin;
  const api = visitor.with({ token: body.accessToken });
  const { accessToken } = body;
  return { operator: { adminId, email, accessToken, api }, validSeconds: body.expiresIn };
};

/** An operator, and what one may not do who only supports customers. */
export const signInAsOperator: Step = {
  title: 'An operator signs in',
  async run(demo) {
    const { operator, validSeconds } = await signInOperator(demo, 'ADMIN');
    demo.saveState('operator', operator);
    const support = (await signInOperator(demo, 'SUPPORT')).operator.api;
    const spread = { buySpreadBps: 0, sellSpreadBps: 0 };
    await expectRefusal(403, 'FORBIDDEN', support.post('/v1/price/config', { body: spread }));
    const anonymous = support.with({ token: 'none' });
    await expectRefusal(401, 'UNAUTHENTICATED', anonymous.get('/v1/orders'));
    return [
      `${operator.email} for ${validSeconds / 3600} hours`,
      'SUPPORT may not set the price spread: 403 FORBIDDEN',
    ];
  },
};
