import type { Call } from '../../core/call.ts';
import type { Collaborator } from '../../core/collaborator.ts';
import { isSameSecret } from '../../core/credentials.ts';
import type { GatewayStore } from './gateway-store.ts';
import { gatewayOperations } from './gateway-operations.ts';
import type { GatewayCheckoutSimulator } from './gateway-checkout-simulator.ts';
import { gatewayError } from './gateway-wire.ts';

interface GatewayOptions {
  readonly store: GatewayStore;
  readonly simulator: GatewayCheckoutSimulator;
  readonly keyId: string;
  readonly keySecret: string;
}

const credentialsOf = ({ headers }: Call): string => {
  const encoded = /^Basic (\S+)$/u.exec(headers.authorization ?? '')?.[1] ?? '';
  return Buffer.from(encoded, 'base64').toString('utf8');
};

/** The neutral payment gateway that the service calls `sandbox`. */
export const createGateway = ({
  store,
  simulator,
  keyId,
  keySecret,
}: GatewayOptions): Collaborator => ({
  name: 'sandbox-gateway',
  mountPath: '/gateway',
  operations: gatewayOperations({ store, simulator }),
  refuseStranger: (call) =>
    isSameSecret(credentialsOf(call), `${keyId}:${keySecret}`)
      ? undefined
      : { status: 401, body: gatewayError('UNAUTHENTICATED', 'The API key is not valid') },
  errorBody: (status, message) =>
    status === 200 ? undefined : gatewayError('GATEWAY_ERROR', message),
  store,
});
