import { expect } from 'vitest';
import { identityTest } from '#test/support/identity-test.ts';
import { errorCode } from '#test/support/open-identity.ts';
import { signIn } from '#test/support/session-calls.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';

const clock = createManualClock();
const it = identityTest({ clock, env: { MPIN_REFUSE_COMMON: 'true' } });
const common = [
  '1234',
  '0000',
  '99999',
  '1212',
  '121212',
  '123123',
  '112233',
  '8901',
  '54321',
].concat(['2580', '1990', '6969', '0786', '159753']);

it('the service refuses common, repeated and sequential digits as a new MPIN', async ({
  identity,
}) => {
  const { accessToken } = await signIn(identity, '+917640000001', { deviceId: 'a' });
  const set = (mpin: string) => identity.as(accessToken)('POST', '/auth/set-mpin', { mpin });
  for (const mpin of common) {
    const refused = await set(mpin);
    expect([mpin, refused.status, errorCode(refused)]).toEqual([mpin, 400, 'MPIN_TOO_COMMON']);
    expect(refused.body['error']).toMatchObject({ field: 'mpin' });
  }
  for (const mpin of ['4829', '73512', '482913']) expect((await set(mpin)).status).toBe(200);
});

it('the service refuses a common MPIN at a reset, and the code stays valid', async ({
  identity,
}) => {
  const phone = '+917640000002';
  await signIn(identity, phone, { deviceId: 'a' });
  await identity.as()('POST', '/auth/forgot-mpin', { phone });
  await identity.settle();
  const otp = await identity.codeOf(phone);
  const reset = (newMpin: string) =>
    identity.as()('POST', '/auth/reset-mpin', { phone, otp, newMpin });
  const refused = await reset('4321');
  expect([refused.status, errorCode(refused)]).toEqual([400, 'MPIN_TOO_COMMON']);
  expect(refused.body['error']).toMatchObject({ field: 'newMpin' });
  expect((await reset('4829')).status).toBe(200);
});
