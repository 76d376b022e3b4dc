import type { Call, Collaborator } from '../../core/collaborator.ts';
import { isSameSecret } from '../../core/credentials.ts';
import { confirmOperations } from './confirm-operations.ts';
import { priceOperations } from './price-operations.ts';
import type { SafegoldContext } from './safegold-context.ts';
import { userOperations } from './user-operations.ts';
import { verifyOperations } from './verify-operations.ts';

const tokenOf = ({ headers, query }: Call): string =>
  /^Bearer (.+)$/u.exec(headers.authorization ?? '')?.[1] ?? query.get('session_token') ?? '';

/** The gold provider SafeGold, as its public pages describe it. */
export const createSafegold = (context: SafegoldContext, token: string): Collaborator => ({
  name: 'safegold',
  mountPath: '/safegold',
  operations: [
    ...priceOperations(context),
    ...userOperations(context),
    ...verifyOperations(context),
    ...confirmOperations(context),
  ],
  refuseStranger: (call) =>
    isSameSecret(tokenOf(call), token)
      ? undefined
      : { status: 401, body: { code: 401, message: 'Unauthorized' } },
  // A blank 200 is how a confirm fails there.
  errorBody: (status, message) => (status === 200 ? undefined : { code: 0, message }),
  store: context.store,
});
