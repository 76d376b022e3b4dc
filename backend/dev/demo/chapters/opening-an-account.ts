import { demoDocuments } from '../demo-documents.ts';
import type { Demo, Step } from '../demo.types.ts';
import { expectRefusal } from '../expect-answer.ts';
import {
  approveKyc,
  signInCustomer,
  signInOperator,
  submitKyc,
  uploadDocuments,
} from '../people.ts';
import { expectThat } from '../step-failure.ts';

/** Signs in a customer whose phone number has no account yet. */
export const signIn: Step = {
  title: 'A new customer signs in with a one-time code',
  async run(demo) {
    const { customer, otp, validSeconds } = await signInCustomer(demo, 'Asha Rao');
    demo.saveState('customer', customer);
    return [
      `${customer.numbers.phone} was sent the code ${otp}, good for ${validSeconds} s`,
      `customer ${customer.userId}`,
    ];
  },
};

/** Reads the new customer's profile, and checks that they cannot buy before KYC is approved. */
export const readProfile: Step = {
  title: 'The profile, and no gold without KYC',
  async run(demo) {
    const { api, numbers } = demo.readState('customer');
    const { body: user } = await api.get('/v1/users/me');
    expectThat(user.phone === numbers.phone, `the profile is of ${user.phone}`);
    expectThat(user.kycStatus === 'PENDING', `KYC of a new customer reads ${user.kycStatus}`);
    const { body: sessions } = await api.get('/v1/auth/sessions');
    const [session] = sessions.items;
    expectThat(sessions.total === 1 && session?.current === true, 'there is not just one session');
    const body = { unit: 'INR', amount: '1000' } as const;
    await expectRefusal(403, 'KYC_REQUIRED', api.post('/v1/gold/quote', { body }));
    return [
      `referral code ${user.referralCode}, signed in on "${session.deviceName ?? ''}"`,
      'a quote is refused: 403 KYC_REQUIRED',
    ];
  },
};

/**
 * Uploads real files, each of which the backend seals with the customer's own key. Checks that the
 * backend looks at the content: it refuses a text that claims to be a picture.
 */
export const uploadPapers: Step = {
  title: 'The customer uploads identity documents',
  async run(demo) {
    const customer = demo.readState('customer');
    demo.saveState('documentKeys', await uploadDocuments(customer));
    const dataBase64 = Buffer.from('no picture and no PDF').toString('base64');
    const body = { ...demoDocuments[0], dataBase64 };
    await expectRefusal(400, 'VALIDATION_FAILED', customer.api.post('/v1/kyc/documents', { body }));
    const kinds = demoDocuments.map(({ kind, contentType }) => `${kind} (${contentType})`);
    return [
      kinds.join(', '),
      'a text that claims to be a picture is refused: 400 VALIDATION_FAILED',
    ];
  },
};

/** Submits the PAN and the Aadhaar number. The response shows only their last four digits. */
export const submitForReview: Step = {
  title: 'The customer submits KYC',
  async run(demo) {
    const view = await submitKyc(demo.readState('customer'), demo.readState('documentKeys'));
    return [`${view.status}: PAN ending ${view.panLast4}, Aadhaar ending ${view.aadhaarLast4}`];
  },
};

/** Signs in an operator, and checks that an operator of the role SUPPORT may not set the spread. */
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

/**
 * Finds the customer in the review queue and approves them. The approval registers the customer with
 * the gold provider.
 */
export const approveCustomer: Step = {
  title: 'The operator approves the customer',
  async run(demo) {
    const [customer, operator] = [demo.readState('customer'), demo.readState('operator')];
    const { id, total } = await approveKyc(operator, customer.userId);
    demo.saveState('kycRecordId', id);
    const again = operator.api.post('/v1/kyc/{id}/approve', { path: { id } });
    await expectRefusal(409, 'ILLEGAL_TRANSITION', again);
    const { body } = await customer.api.get('/v1/kyc/status');
    expectThat(body.status === 'APPROVED', `the customer still reads ${body.status}`);
    return [
      `one of ${total} in the queue; claimed, registered with the gold provider, then APPROVED`,
      'a second approval is refused: 409 ILLEGAL_TRANSITION',
    ];
  },
};

/** Fetches the PAN card that the customer submitted, and returns its size in bytes. */
const fetchDocument = async (demo: Demo): Promise<number> => {
  const { accessToken } = demo.readState('operator');
  const url = `${demo.endpoints.admin}/v1/kyc/${demo.readState('kycRecordId')}/documents/PAN`;
  const headers = { authorization: `Bearer ${accessToken}` };
  const response = await demo.network.fetch(new Request(url, { headers }));
  expectThat(response.status === 200, `the document answers ${response.status}`);
  const bytes = Buffer.from(await response.arrayBuffer());
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
