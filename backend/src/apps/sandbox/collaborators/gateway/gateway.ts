import type { Call } from '../../kit/call.ts';
import type { Collaborator } from '../../kit/collaborator.ts';
import { isSameSecret } from '../../kit/secrets.ts';
import type { GatewayBooks } from './gateway-books.ts';
import { gatewayOperations } from './gateway-operations.ts';
import type { GatewayTill } from './gateway-till.ts';
import { gatewayError } from './gateway-wire.ts';

interface GatewayOptions {
  readonly books: GatewayBooks;
  readonly till: GatewayTill;
  readonly keyId: string;
  readonly keySecret: string;
}

const credentialsOf = ({ headers }: Call): string => {
  const encoded = /^Basic (\S+)$/u.exec(headers.authorization ?? '')?.[1] ?? '';
  return Buffer.from(encoded, 'base64').toString('utf8');
};

/** The neutral payment gateway that the service calls `sandbox`. */
export const createGateway = ({ books, till, keyId, keySecret }: GatewayOptions): Collaborator => ({
  name: 'sandbox-gateway',
  mountPath: '/gateway',
  operations: gatewayOperations({ books, till }),
  refuseStranger: (call) =>
    isSameSecret(credentialsOf(call), `${keyId}:${keySecret}`)
      ? undefined
      : { status: 401, body: gatewayError('UNAUTHENTICATED', 'The API key is not valid') },
  errorBody: (status, message) =>
    status === 200 ? undefined : gatewayError('GATEWAY_ERROR', message),
  books,
});
