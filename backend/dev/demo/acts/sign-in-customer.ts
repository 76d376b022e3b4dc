import { z } from 'zod';
import { makeUpNumbers } from '../demo-numbers.ts';
import type { Demo, DemoCustomer } from '../demo.types.ts';
import { expectThat } from '../step-failure.ts';
import { messagesWire, signInWire } from '../wire.ts';

const sentWire = z.object({ sent: z.literal(true), expiresInSec: z.int() });

/** Signs a new customer in with the code that came by SMS. */
export const signInCustomer = async (
  demo: Demo,
  fullName: string,
): Promise<{ customer: DemoCustomer; otp: string; validSeconds: number }> => {
  const numbers = makeUpNumbers(demo.random);
  const { phone, ip } = numbers;
  const visitor = demo.visitor('customer', ip);
  const sent = await visitor.ask({
    method: 'POST',
    path: '/auth/send-otp',
    body: { phone },
    read: sentWire,
  });
  const inbox = await demo.sandbox.ask({
    method: 'GET',
    path: `/sms?phone=${encodeURIComponent(phone)}`,
    read: messagesWire,
  });
  const otp = inbox.body.messages[0]?.otp ?? '';
  expectThat(otp !== '', `no SMS with a code came to ${phone}`);
  const { body } = await visitor.ask({
    method: 'POST',
    path: '/auth/verify-otp',
    body: { phone, otp, deviceId: `demo-${demo.random.digits(8)}`, deviceName: 'Demo phone' },
    read: signInWire,
  });
  expectThat(body.isNewUser, `${phone} should be a new customer's`);
  const { accessToken, refreshToken, user } = body;
  const api = visitor.with({ authorization: `Bearer ${accessToken}` });
  const customer = { numbers, fullName, userId: user.id, accessToken, refreshToken, api };
  return { customer, otp, validSeconds: sent.body.expiresInSec };
};
