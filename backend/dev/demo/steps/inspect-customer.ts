import { demoDocuments } from '../demo-documents.ts';
import type { Demo, Step } from '../demo.types.ts';
import { expectRefusal } from '../expect-answer.ts';
import { expectThat } from '../step-failure.ts';
import { signInCustomer } from './sign-in.ts';

/** Fetches the PAN card that the customer submitted, and returns its size in bytes. */
const fetchDocument = async (demo: Demo): Promise<number> => {
  const { accessToken } = demo.readState('operator');
  const url = `${demo.endpoints.admin}/v1/kyc/${demo.readState('kycRecordId')}/documents/PAN`;
  const headers = { authorization: `Bearer ${accessToken}` };
  const seen = await demo.network.fetch(new Request(url, { headers }));
  expectThat(seen.status === 200, `the document answers ${seen.status}`);
  const bytes = Buffer.from(await seen.arrayBuffer());
  const [{ dataBase64 }] = demoDocuments;
  expectThat(bytes.toString('base64') === dataBase64, 'the document is not what was uploaded');
  const query = { action: 'kyc.view-document', targetId: demo.readState('kycRecordId') };
  const { body } = await demo.readState('operator').api.get('/v1/audit', { query });
  expectThat(body.total === 1, `the audit log has ${body.total} views of it`);
  return bytes.length;
};

/** An operator looks at a document, finds a customer by phone, blocks them and ends the block. */
export const inspectCustomer: Step = {
  title: 'The operator looks at a document, and blocks and unblocks another customer',
  async run(demo) {
    const size = await fetchDocument(demo);
    const { api: operator } = demo.readState('operator');
    const { customer } = await signInCustomer(demo, 'Ravi Menon');
    const { api, numbers, userId, refreshToken } = customer;
    const { phone, ip } = numbers;
    const { body: found } = await operator.get('/v1/users', { query: { q: phone } });
    expectThat(found.items[0]?.id === userId, `the search by phone found ${found.total} others`);

    const path = { id: userId };
    const reason = 'The phone was reported stolen.';
    await operator.patch('/v1/users/{id}/block', { path, body: { blocked: true, reason } });
    await expectRefusal(401, 'UNAUTHENTICATED', api.get('/v1/users/me'));
    await operator.patch('/v1/users/{id}/block', { path, body: { blocked: false } });
    await expectRefusal(401, 'UNAUTHENTICATED', api.get('/v1/users/me'));
    const visitor = demo.visitor.customer(ip);
    const refresh = visitor.post('/v1/auth/refresh', { body: { refreshToken } });
    await expectRefusal(401, 'INVALID_REFRESH_TOKEN', refresh);

    await visitor.post('/v1/auth/send-otp', { body: { phone } });
    const inbox = await demo.sandbox.get('/_control/sms', { query: { phone } });
    const otp = inbox.body.messages[0]?.otp ?? '';
    const { body: again } = await visitor.post('/v1/auth/verify-otp', { body: { phone, otp } });
    const { body: me } = await visitor.with({ token: again.accessToken }).get('/v1/users/me');
    expectThat(me.id === userId, `${me.id} signed in instead`);
    return [
      `a PAN card of ${size} bytes, decrypted; the look is in the audit log`,
      `customer ${userId}, found by phone: blocked, refused at the next request, 401`,
      'unblocked: the old session stays ended, and a new sign-in works',
    ];
  },
};
