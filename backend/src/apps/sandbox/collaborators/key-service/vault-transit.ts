import {
  fieldsOf,
  okAnswer,
  textOf,
  type Answer,
  type Call,
  type Collaborator,
} from '../../core/collaborator.ts';
import { isSameSecret } from '../../core/credentials.ts';
import type { KeyStore } from './key-store.ts';

const failed = (status: number, message: string): Answer => ({
  status,
  body: { errors: [message] },
});

const ciphertextPattern = /^vault:v(?<version>\d{1,6}):(?<base64>[A-Za-z0-9+/]+={0,2})$/u;

const readCall = ({ body }: Call) => {
  const fields = fieldsOf(body);
  return {
    plaintext: textOf(fields['plaintext']),
    ciphertext: textOf(fields['ciphertext']),
    context: textOf(fields['associated_data']) ?? '',
  };
};

/** Creates Vault's transit engine, mounted at `transit`, with the one key `digital-gold`. */
export const createVaultTransit = ({
  keys,
  token,
}: {
  readonly keys: KeyStore;
  readonly token: string;
}): Collaborator => {
  const encrypt = (call: Call): Answer => {
    const { plaintext, context } = readCall(call);
    if (plaintext === undefined) return failed(400, 'missing plaintext to encrypt');
    const { version, ciphertext } = keys.encrypt(Buffer.from(plaintext, 'base64'), context);
    const text = `vault:v${version}:${ciphertext.toString('base64')}`;
    return okAnswer({ data: { ciphertext: text, key_version: version } });
  };
  const decrypt = (call: Call): Answer => {
    const { ciphertext = '', context } = readCall(call);
    const groups = ciphertextPattern.exec(ciphertext)?.groups;
    const bytes = Buffer.from(groups?.['base64'] ?? '', 'base64');
    const plaintext = keys.decrypt(Number(groups?.['version']), bytes, context);
    if (plaintext === undefined) return failed(400, 'cipher: message authentication failed');
    return okAnswer({ data: { plaintext: plaintext.toString('base64') } });
  };
  const rotate = (): Answer => {
    keys.rotate();
    return { status: 204 };
  };
  return {
    name: 'vault-transit',
    mountPath: '/vault',
    operations: [
      {
        name: 'encrypt',
        method: 'POST',
        path: '/v1/transit/encrypt/digital-gold',
        handle: encrypt,
      },
      {
        name: 'decrypt',
        method: 'POST',
        path: '/v1/transit/decrypt/digital-gold',
        handle: decrypt,
      },
      {
        name: 'rotate',
        method: 'POST',
        path: '/v1/transit/keys/digital-gold/rotate',
        handle: rotate,
      },
    ],
    refuseUnauthenticated: ({ headers }) =>
      isSameSecret(String(headers['x-vault-token']), token)
        ? undefined
        : failed(403, 'permission denied'),
    errorBody: (_status, message) => ({ errors: [message] }),
    store: keys,
  };
};
