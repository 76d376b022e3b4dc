import { z } from 'zod';
import { makeUpNumbers } from '../demo-numbers.ts';
import type { Demo, Step } from '../demo.types.ts';
import { expectThat } from '../step-failure.ts';
import { pageWire } from '../wire.ts';

const portalUserWire = z.object({
  email: z.string(),
  role: z.string(),
  permissions: z.array(z.string()),
});
const loginWire = z.object({ token: z.string() });
const auditWire = pageWire(
  z.object({ action: z.string(), outcome: z.string(), requestId: z.string().nullable() }),
);

const me = { method: 'GET', path: '/auth/me' } as const;
const refusedMe = { ...me, status: 401, code: 'UNAUTHENTICATED' };

/** Every refusal writes an audit row; this one is known by its request's id. */
const expectRefusalOnRecord = async (demo: Demo, requestId: string): Promise<void> => {
  const { body } = await demo.recall('operator').api.ask({
    method: 'GET',
    path: '/audit?action=accounting.refused&limit=100',
    read: auditWire,
  });
  const row = body.items.find((item) => item.requestId === requestId);
  expectThat(row?.outcome === 'REFUSED', 'the refusal is not in the audit log');
};

/** Its own credential and its own staff: a customer's token opens nothing here. */
export const visitAccounting: Step = {
  title: 'An accountant signs in at the accounting API',
  async run(demo) {
    const visitor = demo.visitor('accounting', makeUpNumbers(demo.random).ip);
    const { body } = await visitor.ask({
      method: 'POST',
      path: '/auth/login',
      body: demo.endpoints.portalUsers.accountant,
      read: loginWire,
    });
    const staff = visitor.with({ 'x-portal-token': body.token });
    const { body: user } = await staff.ask({ ...me, read: portalUserWire });
    expectThat(user.role === 'accountant', `the role is ${user.role}`);

    const requestId = `demo-${demo.random.uuid()}`;
    const { accessToken } = demo.recall('customer');
    const credential = { authorization: `Bearer ${accessToken}`, 'x-portal-token': accessToken };
    await visitor.with({ ...credential, 'x-request-id': requestId }).refused(refusedMe);
    await expectRefusalOnRecord(demo, requestId);

    await staff.ask({ method: 'POST', path: '/auth/logout', status: 204, read: z.undefined() });
    await staff.refused(refusedMe);
    return [
      `${user.email} (${user.role}) with ${user.permissions.length} permissions, signs out again`,
      "a customer's token is refused: 401 UNAUTHENTICATED, and the audit log has that",
    ];
  },
};
