import { globalAgent } from 'node:https';
import type * as Sdk from '@aws-sdk/client-kms';
import {
  createCallGuard,
  isConnectFailure,
  NOT_AUTHORISED,
  NOT_SENT,
  RATE_LIMITED,
  TIMED_OUT,
  UNREADABLE,
} from '../../../platform/http-client/index.ts';
import { done, refused, unknown, type Outcome } from '../../../platform/outcome/outcome.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import { bindingOf, KEY_REFUSED, type KeyService } from '../port.ts';
import type { AwsKmsConfig } from './aws-kms.config.ts';

interface Connection {
  readonly sdk: typeof Sdk;
  readonly client: Sdk.KMSClient;
}

/** Loads the client. It is done at the first call, since most processes need no key service. */
const connect = async (config: AwsKmsConfig): Promise<Connection> => {
  const sdk = await import('@aws-sdk/client-kms');
  const {
    AWS_KMS_BASE_URL: endpoint,
    AWS_KMS_ACCESS_KEY_ID: accessKeyId,
    AWS_KMS_SECRET_ACCESS_KEY: secretAccessKey,
  } = config;
  const client = new sdk.KMSClient({
    region: config.AWS_KMS_REGION,
    ...(endpoint !== undefined && { endpoint }),
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && { credentials: { accessKeyId, secretAccessKey } }),
    // The guard repeats calls, since both calls are safe to repeat.
    maxAttempts: 1,
    // Node's own agent uses the proxy of the environment (NODE_USE_ENV_PROXY).
    requestHandler: { httpsAgent: globalAgent },
  });
  return { sdk, client };
};

/** Reads an error of the client. A response with a status of 4xx is a refusal. */
const readError = (sdk: typeof Sdk, error: unknown): Outcome<never> => {
  if (isConnectFailure(error)) return refused(NOT_SENT, 'no connection to KMS');
  if (!(error instanceof sdk.KMSServiceException)) {
    return unknown(error instanceof Error ? error.name : 'UNKNOWN_ERROR');
  }
  const { httpStatusCode: status = 0 } = error.$metadata;
  if (error.name === 'ThrottlingException') return refused(RATE_LIMITED, error.name);
  if (error.name === 'AccessDeniedException' || status === 401 || status === 403) {
    return refused(NOT_AUTHORISED, `our credential was turned away: ${error.name}`);
  }
  return status >= 400 && status < 500
    ? refused(KEY_REFUSED, `KMS refused the key: ${error.name}`)
    : unknown(`HTTP_${status} ${error.name}`);
};

/**
 * Creates AWS KMS as the key service, by its maintained client (contract: collaborators >
 * Adapters). The encryption context binds a wrapped key to its use and its id.
 */
export const createAwsKms = (config: AwsKmsConfig, deps: AdapterDeps): KeyService & Closable => {
  const { AWS_KMS_KEY_ID: KeyId, AWS_KMS_TIMEOUT_MS: timeoutMs } = config;
  const guard = createCallGuard({ ...deps, name: 'aws-kms', timeoutMs });
  let connection: Promise<Connection> | undefined;

  const call = (
    operation: 'encrypt' | 'decrypt',
    send: (connection: Connection, abortSignal: AbortSignal) => Promise<Uint8Array | undefined>,
  ): Promise<Outcome<Buffer>> =>
    guard.call({
      operation,
      safe: true,
      async attempt() {
        connection ??= connect(config);
        const { sdk, client } = await connection;
        const signal = AbortSignal.timeout(timeoutMs);
        try {
          const bytes = await send({ sdk, client }, signal);
          return bytes === undefined ? unknown(UNREADABLE) : done(Buffer.from(bytes));
        } catch (error) {
          return signal.aborted ? unknown(TIMED_OUT) : readError(sdk, error);
        }
      },
    });

  return {
    code: 'aws-kms',
    async wrap(id, Plaintext) {
      const wrapped = await call('encrypt', async ({ sdk, client }, abortSignal) => {
        const input = { KeyId, Plaintext, EncryptionContext: bindingOf(id) };
        return (await client.send(new sdk.EncryptCommand(input), { abortSignal })).CiphertextBlob;
      });
      return wrapped.kind === 'done' ? done(wrapped.value.toString('base64')) : wrapped;
    },
    unwrap: (id, wrapped) =>
      call('decrypt', async ({ sdk, client }, abortSignal) => {
        const CiphertextBlob = Buffer.from(wrapped, 'base64');
        const input = { KeyId, CiphertextBlob, EncryptionContext: bindingOf(id) };
        return (await client.send(new sdk.DecryptCommand(input), { abortSignal })).Plaintext;
      }),
    async close() {
      (await connection)?.client.destroy();
    },
  };
};
