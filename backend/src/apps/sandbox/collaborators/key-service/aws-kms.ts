import {
  fieldsOf,
  okAnswer,
  textOf,
  type Answer,
  type Call,
  type Collaborator,
} from '../../core/collaborator.ts';
import type { KeyStore } from './key-store.ts';

const keyId = '0d1a9f6c-5a52-4f8a-9f0e-5c7f0d6b7a10';
const keyArn = `arn:aws:kms:ap-south-1:111122223333:key/${keyId}`;
const names: ReadonlySet<unknown> = new Set([keyId, keyArn, 'alias/digital-gold']);

const failed = (type: string, message: string, status = 400): Answer => ({
  status,
  body: { __type: type, message },
});

const unknownKey = (): Answer => failed('NotFoundException', 'Invalid keyId');

/** Returns the test for a call of that operation. */
const isFor =
  (operation: string) =>
  ({ headers }: Pick<Call, 'headers'>) =>
    headers['x-amz-target'] === `TrentService.${operation}`;

/** Returns the encryption context with its keys sorted, since KMS treats it as a set of pairs. */
const contextOf = (body: unknown): string => {
  const pairs = Object.entries(fieldsOf(fieldsOf(body)['EncryptionContext']));
  return JSON.stringify(pairs.toSorted(([one], [other]) => one.localeCompare(other)));
};

/** Prepends the version of the key to a ciphertext, in two bytes. */
const withVersion = (version: number, ciphertext: Buffer): Buffer => {
  const head = Buffer.alloc(2);
  head.writeUInt16BE(version);
  return Buffer.concat([head, ciphertext]);
};

/**
 * Creates AWS KMS with one symmetric key. It uses the JSON protocol, in which `x-amz-target` names
 * the operation. It checks only the access key id of a signature (version 4).
 */
export const createAwsKms = ({
  keys,
  accessKeyId,
}: {
  readonly keys: KeyStore;
  readonly accessKeyId: string;
}): Collaborator => {
  const encrypt = ({ body }: Call): Answer => {
    const { KeyId, Plaintext } = fieldsOf(body);
    if (!names.has(KeyId)) return unknownKey();
    const plaintext = Buffer.from(textOf(Plaintext) ?? '', 'base64');
    const { version, ciphertext } = keys.encrypt(plaintext, contextOf(body));
    const blob = withVersion(version, ciphertext).toString('base64');
    return okAnswer({
      CiphertextBlob: blob,
      KeyId: keyArn,
      EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
    });
  };
  const decrypt = ({ body }: Call): Answer => {
    const { KeyId, CiphertextBlob } = fieldsOf(body);
    if (KeyId !== undefined && !names.has(KeyId)) return unknownKey();
    const blob = Buffer.from(textOf(CiphertextBlob) ?? '', 'base64');
    const version = blob.length < 2 ? 0 : blob.readUInt16BE();
    const plaintext = keys.decrypt(version, blob.subarray(2), contextOf(body));
    if (plaintext === undefined) return failed('InvalidCiphertextException', '');
    return okAnswer({
      Plaintext: plaintext.toString('base64'),
      KeyId: keyArn,
      EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
    });
  };
  const common = { method: 'POST', path: '/' } as const;
  return {
    name: 'aws-kms',
    mountPath: '/aws-kms',
    operations: [
      { name: 'encrypt', ...common, isFor: isFor('Encrypt'), handle: encrypt },
      { name: 'decrypt', ...common, isFor: isFor('Decrypt'), handle: decrypt },
      {
        name: 'rotate',
        ...common,
        isFor: isFor('RotateKeyOnDemand'),
        handle() {
          keys.rotate();
          return okAnswer({ KeyId: keyArn });
        },
      },
    ],
    refuseUnauthenticated: ({ headers: { authorization = '' } }) =>
      authorization.startsWith(`AWS4-HMAC-SHA256 Credential=${accessKeyId}/`)
        ? undefined
        : failed('UnrecognizedClientException', 'The security token is invalid.'),
    errorBody: (status, message) => ({
      __type: status < 500 ? 'DisabledException' : 'KMSInternalException',
      message,
    }),
    store: keys,
  };
};
