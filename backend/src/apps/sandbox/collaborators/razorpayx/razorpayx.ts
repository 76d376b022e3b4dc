import type { Call } from '../../kit/call.ts';
import type { Collaborator } from '../../kit/collaborator.ts';
import { isSameSecret } from '../../kit/secrets.ts';
import { accountOperations } from './account-operations.ts';
import { payoutOperations } from './payout-operations.ts';
import { createRazorpayxBooks } from './razorpayx-books.ts';
import { createRazorpayxDesk, type RazorpayxDesk } from './razorpayx-desk.ts';
import { razorpayxError } from './razorpayx-wire.ts';

interface RazorpayxOptions extends Omit<Parameters<typeof createRazorpayxDesk>[0], 'books'> {
  readonly keyId: string;
  readonly keySecret: string;
  readonly accountNumber: string;
}

/** The party and the desk at which its payouts are played. */
export interface Razorpayx {
  readonly collaborator: Collaborator;
  readonly desk: RazorpayxDesk;
}

const credentialsOf = ({ headers }: Call): string => {
  const encoded = /^Basic (\S+)$/u.exec(headers.authorization ?? '')?.[1] ?? '';
  return Buffer.from(encoded, 'base64').toString('utf8');
};

/** RazorpayX: contacts, fund accounts, payouts and penny-drops. */
export const createRazorpayx = (options: RazorpayxOptions): Razorpayx => {
  const { clock, random, keyId, keySecret, accountNumber } = options;
  const books = createRazorpayxBooks(clock, random);
  const desk = createRazorpayxDesk({ ...options, books });
  const context = { books, desk, clock, accountNumber };
  const collaborator: Collaborator = {
    name: 'razorpayx',
    mountPath: '/razorpayx',
    operations: [...accountOperations(context), ...payoutOperations(context)],
    refuseStranger: (call) =>
      isSameSecret(credentialsOf(call), `${keyId}:${keySecret}`)
        ? undefined
        : { status: 401, body: razorpayxError('BAD_REQUEST_ERROR', 'Authentication failed') },
    errorBody: (status, message) => {
      if (status === 200) return undefined;
      return razorpayxError(status >= 500 ? 'SERVER_ERROR' : 'BAD_REQUEST_ERROR', message);
    },
    books,
  };
  return { collaborator, desk };
};
