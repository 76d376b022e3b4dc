import { makeUpPerson, type MadeUpPerson } from '../../lib/made-up-person.ts';
import type { Json, House } from './ask.ts';

/** A customer who may buy and sell. */
export interface Customer {
  readonly phone: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly signedInAtMs: number;
  readonly bankAccountId: string;
}

/** A picture of one point. */
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Signs somebody in with the code of the newest SMS. */
export const signIn = ({ ask }: House, phone: string, deviceId: string): Json => {
  ask({ api: 'customer', method: 'POST', route: '/v1/auth/send-otp', body: { phone } });
  const query = `?phone=${encodeURIComponent(phone)}`;
  const inbox = ask({ api: 'sandbox', method: 'GET', route: '/_control/sms', query });
  return ask({
    api: 'customer',
    method: 'POST',
    route: '/v1/auth/verify-otp',
    body: { phone, otp: inbox['messages'][0]?.otp, deviceId, deviceName: 'Load test' },
  });
};

const submitKyc = ({ ask }: House, token: string, person: MadeUpPerson): void => {
  const { fullName, pan, aadhaar } = person;
  const [documentKey, selfieKey] = ['PAN', 'SELFIE'].map((kind) => {
    const body = { kind, contentType: 'image/png', dataBase64: picture };
    const route = '/v1/kyc/documents';
    return ask({ api: 'customer', method: 'POST', route, token, body, status: 201 })['documentKey'];
  });
  const body = { pan, aadhaar, fullName, pincode: '560001', documentKey, selfieKey };
  ask({ api: 'customer', method: 'POST', route: '/v1/kyc/submit', token, body });
};

/** Makes a customer whose KYC an operator has approved. Their bank account is still being checked. */
export const openAccount = (
  house: House,
  operatorToken: string,
  random: () => number,
): Customer => {
  const { ask } = house;
  const person = makeUpPerson(random);
  const { phone, fullName: holderName, accountNumber } = person;
  const { accessToken, refreshToken, user } = signIn(house, phone, `loadtest-${phone.slice(1)}`);
  submitKyc(house, accessToken, person);
  const operator = { api: 'admin', token: operatorToken } as const;
  const found = ask({ ...operator, method: 'GET', route: '/v1/kyc', query: `?q=${user.id}` });
  const id = String(found['items'][0]?.id);
  ask({ ...operator, method: 'POST', route: '/v1/kyc/:id/claim', id });
  ask({ ...operator, method: 'POST', route: '/v1/kyc/:id/approve', id });
  const added = ask({
    api: 'customer',
    method: 'POST',
    route: '/v1/bank-accounts',
    token: accessToken,
    body: { accountNumber, ifsc: 'HDFC0001234', holderName },
    status: 201,
  });
  const signedInAtMs = Date.now();
  return { phone, accessToken, refreshToken, signedInAtMs, bankAccountId: String(added['id']) };
};

/** Waits until the penny-drop has verified the account. */
export const awaitBankAccount = ({ until }: House, { accessToken: token }: Customer): void => {
  const call = { api: 'customer', method: 'GET', route: '/v1/bank-accounts', token } as const;
  until(call, 60, ({ items }) => items[0]?.status === 'VERIFIED');
};
