import { ApiError, createCustomerClient, type CustomerClient } from '@digital-gold/client';
import { createDemo } from '../../dev/demo/create-demo.ts';
import type { DemoEndpoints } from '../../dev/demo/read-endpoints.ts';
import {
  signIn,
  signInAsOperator,
  submitForReview,
  uploadPapers,
} from '../../dev/demo/chapters/opening-an-account.ts';
import { addBankAccount } from '../../dev/demo/chapters/selling.ts';
import type { Step } from '../../dev/demo/demo.types.ts';

/** A customer with all rights, whose calls go to any replica. */
export interface Customer {
  readonly userId: string;
  readonly bankAccountId: string;
  /** Makes a call with the customer's token, which is renewed if it has expired. */
  readonly call: <T>(make: (api: CustomerClient) => Promise<T>) => Promise<T>;
}

export type Draw = () => number;

const newAddress = (draw: Draw): string =>
  `10.${[256, 256, 254].map((most) => Math.floor(draw() * most) + 1).join('.')}`.replace(
    /256/gu,
    '255',
  );

interface Session {
  token: string;
  refreshToken: string;
}

/**
 * Approves a customer without claiming the review first, because an earlier build has no claims.
 */
const approve: Step = {
  title: 'An operator approves the customer',
  async run(demo) {
    const [{ userId }, { api }] = [demo.readState('customer'), demo.readState('operator')];
    const { body } = await api.get('/v1/kyc', { query: { status: 'SUBMITTED', limit: 100 } });
    const record = body.items.find((item) => item.userId === userId);
    if (record === undefined) throw new Error(`the review queue does not have ${userId}`);
    await api.post('/v1/kyc/{id}/approve', { path: { id: record.id } });
    return [];
  },
};

/** Creates a customer with approved KYC and a verified bank account. */
export const makeCustomer = async (
  endpoints: DemoEndpoints,
  urls: readonly string[],
  draw: Draw,
): Promise<Customer> => {
  const demo = createDemo(endpoints);
  try {
    const steps = [signIn, uploadPapers, submitForReview, signInAsOperator, approve];
    for (const { run } of [...steps, addBankAccount]) await run(demo);
    const { userId, numbers, accessToken, refreshToken } = demo.readState('customer');
    const session: Session = { token: accessToken, refreshToken };
    const client = (): CustomerClient => {
      const baseUrl = urls[Math.floor(draw() * urls.length)] ?? '';
      return createCustomerClient({ baseUrl, clientAddress: newAddress(draw), timeoutMs: 25_000 });
    };
    const signInAgain = async (): Promise<void> => {
      await client().post('/v1/auth/send-otp', { body: { phone: numbers.phone } });
      const inbox = await fetch(
        `${endpoints.sandbox}/_control/sms?phone=${encodeURIComponent(numbers.phone)}`,
      );
      // The control API has this form.
      const { messages } = (await inbox.json()) as { messages: { otp?: string }[] };
      const body = { phone: numbers.phone, otp: messages[0]?.otp ?? '' };
      const answer = await client().post('/v1/auth/verify-otp', { body });
      session.token = answer.body.accessToken;
      session.refreshToken = answer.body.refreshToken;
    };
    const renew = async (): Promise<void> => {
      try {
        const { refreshToken: spent } = session;
        const { body } = await client().post('/v1/auth/refresh', { body: { refreshToken: spent } });
        session.token = body.accessToken;
        session.refreshToken = body.refreshToken;
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 401) throw error;
        await signInAgain();
      }
    };
    let renewing: Promise<void> | undefined;
    return {
      userId,
      bankAccountId: demo.readState('bankAccount').id,
      async call(make) {
        const { token } = session;
        try {
          return await make(client().with({ token }));
        } catch (error) {
          if (!(error instanceof ApiError) || error.status !== 401) throw error;
          if (session.token === token) {
            renewing ??= renew().finally(() => (renewing = undefined));
            await renewing;
          }
          return make(client().with({ token: session.token }));
        }
      },
    };
  } finally {
    await demo.close();
  }
};
