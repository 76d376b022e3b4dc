import { makeUpNumbers } from '../demo-numbers.ts';
import type { Demo, Step } from '../demo.types.ts';
import { expectRefusal, expectStatus } from '../expect-answer.ts';
import { expectThat } from '../step-failure.ts';

const me = '/api/v1/accounting/auth/me';

/** Every refusal writes an audit row; this one is known by its request's id. */
const expectRefusalOnRecord = async (demo: Demo, requestId: string): Promise<void> => {
  const query = { action: 'accounting.refused', limit: 100 };
  const { body } = await demo.readState('operator').api.get('/v1/audit', { query });
  const row = body.items.find((item) => item.requestId === requestId);
  expectThat(row?.outcome === 'REFUSED', 'the refusal is not in the audit log');
};

/** Signs a member of the accounting staff in, at an address of their own. */
export const signInStaff = async (demo: Demo, role: 'accountant' | 'viewer') => {
  const visitor = demo.visitor.accounting(makeUpNumbers(demo.random).ip);
  const { body } = await visitor.post('/api/v1/accounting/auth/login', {
    body: demo.endpoints.portalUsers[role],
  });
  const headers = { 'x-portal-token': body.token };
  return { visitor, headers, staff: visitor.with({ headers }) };
};

/** Its own credential and its own staff: a customer's token opens nothing here. */
export const visitAccounting: Step = {
  title: 'An accountant signs in at the accounting API',
  async run(demo) {
    const { visitor, staff } = await signInStaff(demo, 'accountant');
    const { body: user } = await staff.get(me);
    expectThat(user.role === 'accountant', `the role is ${user.role}`);

    const requestId = `demo-${demo.random.uuid()}`;
    const { accessToken } = demo.readState('customer');
    const headers = { 'x-portal-token': accessToken, 'x-request-id': requestId };
    const intruder = visitor.with({ token: accessToken, headers });
    await expectRefusal(401, 'UNAUTHENTICATED', intruder.get(me));
    await expectRefusalOnRecord(demo, requestId);

    await expectStatus(204, staff.post('/api/v1/accounting/auth/logout'));
    await expectRefusal(401, 'UNAUTHENTICATED', staff.get(me));
    return [
      `${user.email} (${user.role}) with ${user.permissions.length} permissions, signs out again`,
      "a customer's token is refused: 401 UNAUTHENTICATED, and the audit log has that",
    ];
  },
};
