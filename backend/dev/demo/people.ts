import { demoDocuments } from './demo-documents.ts';
import { makeUpNumbers } from './demo-numbers.ts';
import type { Demo, DemoCustomer, DemoOperator } from './demo.types.ts';
import { expectStatus } from './expect-answer.ts';
import { expectThat } from './step-failure.ts';

/** Signs a new customer in with the code that came by SMS. */
export const signInCustomer = async (
  demo: Demo,
  fullName: string,
): Promise<{ customer: DemoCustomer; otp: string; validSeconds: number }> => {
  const numbers = makeUpNumbers(demo.random);
  const { phone, ip } = numbers;
  const visitor = demo.visitor.customer(ip);
  const sent = await visitor.post('/v1/auth/send-otp', { body: { phone } });
  const inbox = await demo.sandbox.get('/_control/sms', { query: { phone } });
  const otp = inbox.body.messages[0]?.otp ?? '';
  expectThat(otp !== '', `no SMS with a code came to ${phone}`);
  const device = { deviceId: `demo-${demo.random.digits(8)}`, deviceName: 'Demo phone' };
  const { body } = await visitor.post('/v1/auth/verify-otp', { body: { phone, otp, ...device } });
  expectThat(body.isNewUser, `${phone} should be a new customer's`);
  const { accessToken, refreshToken, user } = body;
  const api = visitor.with({ token: accessToken });
  const customer = { numbers, fullName, userId: user.id, accessToken, refreshToken, api };
  return { customer, otp, validSeconds: sent.body.expiresInSec };
};

export type DocumentKeys = Readonly<Record<(typeof demoDocuments)[number]['kind'], string>>;

/** Uploads the customer's documents. Returns the key of each. */
export const uploadDocuments = async ({ api }: DemoCustomer): Promise<DocumentKeys> => {
  const keys = { PAN: '', AADHAAR_FRONT: '', SELFIE: '' };
  for (const body of demoDocuments) {
    const uploaded = await expectStatus(201, api.post('/v1/kyc/documents', { body }));
    keys[body.kind] = uploaded.documentKey;
  }
  return keys;
};

/** Submits the customer's KYC. Returns its view, with the numbers masked. */
export const submitKyc = async (
  { api, numbers, fullName }: DemoCustomer,
  keys: Omit<DocumentKeys, 'AADHAAR_FRONT'>,
) => {
  const { pan, aadhaar } = numbers;
  const documents = { documentKey: keys.PAN, selfieKey: keys.SELFIE };
  const { body } = await api.post('/v1/kyc/submit', {
    body: { pan, aadhaar, pincode: '560001', ...documents, fullName },
  });
  expectThat(body.status === 'SUBMITTED', `KYC reads ${body.status} after it was submitted`);
  return body;
};

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

/** Finds the customer's record in the review queue, and how many wait there. */
const findInQueue = async ({ api }: DemoOperator, userId: string) => {
  const { body: found } = await api.get('/v1/kyc', { query: { q: userId } });
  const [record] = found.items;
  expectThat(record !== undefined, `the review queue does not have customer ${userId}`);
  const { body: queue } = await api.get('/v1/kyc', { query: { limit: 1 } });
  return { id: record.id, total: queue.total };
};

/** Claims the customer's record and approves. From then on the gold provider knows them. */
export const approveKyc = async (operator: DemoOperator, userId: string) => {
  const record = await findInQueue(operator, userId);
  const path = { id: record.id };
  const { body: claimed } = await operator.api.post('/v1/kyc/{id}/claim', { path });
  expectThat(claimed.claim?.by.id === operator.adminId, 'the claim is not the operator’s');
  const { body } = await operator.api.post('/v1/kyc/{id}/approve', { path });
  expectThat(body.status === 'APPROVED', `KYC reads ${body.status} after it was approved`);
  return record;
};

/** Signs a member of the accounting staff in, at a separate address. */
export const signInStaff = async (demo: Demo, role: 'accountant' | 'viewer') => {
  const visitor = demo.visitor.accounting(makeUpNumbers(demo.random).ip);
  const { body } = await visitor.post('/api/v1/accounting/auth/login', {
    body: demo.endpoints.portalUsers[role],
  });
  const headers = { 'x-portal-token': body.token };
  return { visitor, headers, staff: visitor.with({ headers }) };
};

/** Signs up a customer of this name and has their KYC approved. */
export const approvedCustomer = async (demo: Demo, fullName: string): Promise<DemoCustomer> => {
  const { customer } = await signInCustomer(demo, fullName);
  await submitKyc(customer, await uploadDocuments(customer));
  await approveKyc(demo.readState('operator'), customer.userId);
  return customer;
};
