import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCaller, openSandbox, type OpenSandbox } from '../../testing/open-sandbox.ts';

let open: OpenSandbox;

beforeAll(async () => {
  open = await openSandbox();
});
beforeEach(() => open.control('POST', '/reset'));
afterAll(() => open.stop());

const messages = async (phone = '') => {
  const query = phone === '' ? '' : `?phone=${encodeURIComponent(phone)}`;
  return (await open.control('GET', `/sms${query}`)).body['messages'];
};
const otp = { template_id: 'login', mobile: '919876543210', otp: '482913', otp_expiry: 10 };

describe('messages', () => {
  it('keeps an OTP, found by the number', async () => {
    const response = await open.msg91('POST', '/api/v5/otp', otp);
    expect(response).toMatchObject({ status: 200, body: { type: 'success' } });
    const sent = {
      phone: '+919876543210',
      otp: '482913',
      text: '482913 is your verification code. It is valid for 10 minutes.',
    };
    for (const phone of ['+919876543210', '9876543210', '919876543210']) {
      expect(await messages(phone)).toMatchObject([sent]);
    }
    expect(await messages('+919876500000')).toEqual([]);
    const plus = await open.control('GET', '/sms?phone=+919876543210');
    expect(plus.body['messages']).toMatchObject([sent]);
  });

  it('shows the newest first', async () => {
    await open.msg91('POST', '/api/v5/otp', otp);
    await open.msg91('POST', '/api/v5/otp', { ...otp, otp: '111111' });
    expect(await messages()).toMatchObject([{ otp: '111111' }, { otp: '482913' }]);
  });

  it('makes a code where none is given', async () => {
    await open.msg91('POST', '/api/v5/otp', { ...otp, otp: undefined });
    expect(await messages()).toMatchObject([{ otp: expect.stringMatching(/^\d{6}$/u) }]);
  });

  it('sends a template to each recipient', async () => {
    const recipients = [
      { mobiles: '919876543210', OTP: '1234', name: 'Asha' },
      { mobiles: '919876500000', name: 'Ravi' },
    ];
    const response = await open.msg91('POST', '/api/v5/flow', { template_id: 'hello', recipients });
    expect(response.body).toMatchObject({ type: 'success' });
    expect(await messages()).toMatchObject([
      { phone: '+919876500000', otp: null, text: 'Template hello · name=Ravi' },
      { phone: '+919876543210', otp: '1234', text: 'Template hello · OTP=1234 · name=Asha' },
    ]);
  });

  it.each([
    ['/api/v5/otp', { ...otp, template_id: undefined }],
    ['/api/v5/otp', { ...otp, mobile: '98765' }],
    ['/api/v5/otp', { ...otp, otp: 'abcd' }],
    ['/api/v5/flow', { template_id: 'hello' }],
    ['/api/v5/flow', { recipients: [{ mobiles: '919876543210' }] }],
    ['/api/v5/flow', { template_id: 'hello', recipients: [{ mobiles: 'x' }] }],
  ])('refuses at %s with 200 and type error', async (path, body) => {
    const response = await open.msg91('POST', path, body);
    expect(response).toMatchObject({ status: 200, body: { type: 'error' } });
    expect(await messages()).toEqual([]);
  });

  it('refuses a wrong auth key with 200 and type error', async () => {
    const response = await createCaller(`${open.url}/msg91`, { authkey: 'x' })(
      'POST',
      '/api/v5/otp',
      otp,
    );
    expect(response).toMatchObject({ status: 200, body: { type: 'error' } });
    expect(await messages()).toEqual([]);
  });
});
