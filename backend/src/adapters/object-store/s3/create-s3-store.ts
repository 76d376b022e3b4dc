import { globalAgent } from 'node:https';
import { Readable } from 'node:stream';
import type * as Sdk from '@aws-sdk/client-s3';
import { ConfigError } from '../../../platform/config/config.ts';
import {
  createCallGuard,
  isConnectFailure,
  NOT_SENT,
  TIMED_OUT,
} from '../../../platform/http-client/index.ts';
import { done, refused, unknown, type Outcome } from '../../../platform/outcome/outcome.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import {
  isObjectKey,
  INVALID_KEY,
  OBJECT_EXISTS,
  type ObjectStore,
  type StoredObject,
} from '../port.ts';
import type { S3Config } from './s3.config.ts';

/** The limit of an object, far above the largest document or image of this service. */
const maxObjectBytes = 32 * 1024 * 1024;

/** The refusal of a request: the status of the response, and the name of its error. */
interface Refusal {
  readonly status: number;
  readonly code: string;
}

type Answer<T> = { readonly value: T } | { readonly refusal: Refusal };

interface Connection {
  readonly sdk: typeof Sdk;
  readonly client: Sdk.S3Client;
}

/** Returns the configured access key. Without one, the SDK uses its default credential chain. */
const credentialsOf = ({
  S3_ACCESS_KEY_ID: accessKeyId,
  S3_SECRET_ACCESS_KEY: secretAccessKey,
}: S3Config) =>
  accessKeyId === undefined || secretAccessKey === undefined
    ? undefined
    : { accessKeyId, secretAccessKey };

/** Loads the client. It is done at the first call, since many processes use no objects. */
const connect = async (config: S3Config): Promise<Connection> => {
  const sdk = await import('@aws-sdk/client-s3');
  const credentials = credentialsOf(config);
  const client = new sdk.S3Client({
    endpoint: config.S3_BASE_URL,
    region: config.S3_REGION,
    forcePathStyle: true,
    ...(credentials !== undefined && { credentials }),
    // The guard repeats calls that are safe to repeat. A conditional put is not.
    maxAttempts: 1,
    // Node's own agent uses the proxy of the environment (NODE_USE_ENV_PROXY).
    requestHandler: { httpsAgent: globalAgent },
    // Many compatible servers do not support the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return { sdk, client };
};

/**
 * Returns the refusal if the error is a 4xx response other than 408. Returns undefined for every other
 * error.
 */
const refusalIn = (sdk: typeof Sdk, error: unknown): Refusal | undefined => {
  if (!(error instanceof sdk.S3ServiceException)) return undefined;
  const { httpStatusCode: status = 0 } = error.$metadata;
  return status >= 400 && status < 500 && status !== 408 ? { status, code: error.name } : undefined;
};

/**
 * Reads a body and counts its bytes, because the announced length may be too small. Closes the
 * connection of a body above the limit, which would stay occupied otherwise.
 * @throws RangeError for a body above the limit
 */
const readLimited = async (body: unknown, announced: number): Promise<Buffer> => {
  if (!(body instanceof Readable)) throw new TypeError('UNREADABLE_OBJECT');
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    if (announced > maxObjectBytes) throw new RangeError('OBJECT_TOO_LARGE');
    for await (const part of body) {
      const bytes: unknown = part;
      if (!(bytes instanceof Uint8Array)) throw new TypeError('UNREADABLE_OBJECT');
      size += bytes.length;
      if (size > maxObjectBytes) throw new RangeError('OBJECT_TOO_LARGE');
      parts.push(bytes);
    }
  } finally {
    body.destroy();
  }
  return Buffer.concat(parts, size);
};

const outcomeOfError = (error: unknown): Outcome<never> => {
  if (isConnectFailure(error)) return refused(NOT_SENT, 'no connection to the S3 server');
  return unknown(error instanceof Error ? error.name : 'UNKNOWN_ERROR');
};

const invalidKey = (): Outcome<never> => refused(INVALID_KEY, 'not a key of an object');

const absentIfNoSuchKey = ({ code }: Refusal) =>
  code === 'NoSuchKey' ? done(undefined) : undefined;

/**
 * Returns the outcome of a refusal that shows nothing about the object, such as a wrong credential, a
 * missing bucket or too many requests.
 */
const unknownAfterRefusal = ({ status, code }: Refusal): Outcome<never> =>
  unknown(`HTTP_${status} ${code}`);

interface S3Call<T> {
  readonly operation: string;
  readonly send: (connection: Connection, abortSignal: AbortSignal) => Promise<T>;
  /** Returns the outcome of a refusal, or undefined if the refusal shows nothing about the object. */
  readonly onRefusal: (
    refusal: Refusal,
  ) => Outcome<T> | undefined | Promise<Outcome<T> | undefined>;
  /** False for a call that must not be repeated. */
  readonly isIdempotent?: boolean;
}

interface S3Calls extends Closable {
  readonly call: <T>(call: S3Call<T>) => Promise<Outcome<T>>;
}

const createS3Calls = (config: S3Config, deps: AdapterDeps): S3Calls => {
  const { S3_TIMEOUT_MS: timeoutMs } = config;
  const guard = createCallGuard({ ...deps, name: 's3', timeoutMs });
  let connection: Promise<Connection> | undefined;

  const attempt = async <T>(send: S3Call<T>['send']): Promise<Outcome<Answer<T>>> => {
    connection ??= connect(config);
    const { sdk, client } = await connection;
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      return done({ value: await send({ sdk, client }, signal) });
    } catch (error) {
      if (signal.aborted) return unknown(TIMED_OUT);
      const refusal = refusalIn(sdk, error);
      return refusal === undefined ? outcomeOfError(error) : done({ refusal });
    }
  };

  return {
    async call({ operation, send, onRefusal, isIdempotent: safe = true }) {
      const outcome = await guard.call({ operation, safe, attempt: () => attempt(send) });
      if (outcome.kind !== 'done') return outcome;
      if ('value' in outcome.value) return done(outcome.value.value);
      const { refusal } = outcome.value;
      return (await onRefusal(refusal)) ?? unknownAfterRefusal(refusal);
    },
    async close() {
      (await connection)?.client.destroy();
    },
  };
};

/**
 * Returns `done(undefined)` for a 404 if the bucket exists, and undefined for another refusal. A 404
 * to HEAD has no body, so a missing bucket would look like a missing object.
 */
const absentIfBucketExists = async ({ call }: S3Calls, Bucket: string, { status }: Refusal) => {
  if (status !== 404) return undefined;
  const bucket = await call({
    operation: 'head-bucket',
    async send({ sdk, client }, abortSignal) {
      await client.send(new sdk.HeadBucketCommand({ Bucket }), { abortSignal });
    },
    onRefusal: () => undefined,
  });
  return bucket.kind === 'done' ? done(undefined) : bucket;
};

/** Creates the calls that write and delete objects. */
const createS3Writes = (
  { call }: S3Calls,
  Bucket: string,
): Pick<ObjectStore, 'put' | 'delete'> => ({
  async put(Key, bytes, ContentType, { ifAbsent = false } = {}) {
    if (!isObjectKey(Key)) return invalidKey();
    const input = { Bucket, Key, Body: bytes, ContentType };
    return call({
      operation: 'put',
      async send({ sdk, client }, abortSignal) {
        const condition = ifAbsent ? { IfNoneMatch: '*' } : {};
        const command = new sdk.PutObjectCommand({ ...input, ...condition });
        await client.send(command, { abortSignal });
      },
      onRefusal: ({ status }) =>
        ifAbsent && status === 412
          ? refused(OBJECT_EXISTS, 'an object with this key already exists')
          : undefined,
      // A retry after a lost response would be refused because of the object that the first request
      // wrote.
      isIdempotent: !ifAbsent,
    });
  },

  async delete(Key) {
    if (!isObjectKey(Key)) return invalidKey();
    return call({
      operation: 'delete',
      async send({ sdk, client }, abortSignal) {
        await client.send(new sdk.DeleteObjectCommand({ Bucket, Key }), { abortSignal });
      },
      onRefusal: absentIfNoSuchKey,
    });
  },
});

/** Creates the calls that read objects. They return undefined for a missing object. */
const createS3Reads = (calls: S3Calls, Bucket: string): Pick<ObjectStore, 'get' | 'head'> => ({
  async get(Key) {
    if (!isObjectKey(Key)) return invalidKey();
    return calls.call<StoredObject | undefined>({
      operation: 'get',
      async send({ sdk, client }, abortSignal) {
        const command = new sdk.GetObjectCommand({ Bucket, Key });
        const answer = await client.send(command, { abortSignal });
        const { Body, ContentLength = 0, ContentType = '' } = answer;
        const bytes = await readLimited(Body, ContentLength);
        return { contentType: ContentType, sizeBytes: bytes.length, bytes };
      },
      onRefusal: absentIfNoSuchKey,
    });
  },

  async head(Key) {
    if (!isObjectKey(Key)) return invalidKey();
    return calls.call({
      operation: 'head',
      async send({ sdk, client }, abortSignal) {
        const command = new sdk.HeadObjectCommand({ Bucket, Key });
        const { ContentLength = 0, ContentType = '' } = await client.send(command, { abortSignal });
        return { contentType: ContentType, sizeBytes: ContentLength };
      },
      onRefusal: (refusal) => absentIfBucketExists(calls, Bucket, refusal),
    });
  },
});

/**
 * Creates a store of objects in a bucket of any S3-compatible server (contract: collaborators >
 * Adapters), by the client of AWS. A missing bucket is an unknown outcome and never a missing object.
 * @throws ConfigError if only one of the key's id and secret is given
 */
export const createS3Store = (config: S3Config, deps: AdapterDeps): ObjectStore & Closable => {
  if ((config.S3_ACCESS_KEY_ID === undefined) !== (config.S3_SECRET_ACCESS_KEY === undefined)) {
    throw new ConfigError(
      'S3_SECRET_ACCESS_KEY: is needed with S3_ACCESS_KEY_ID, and only with it',
    );
  }
  const calls = createS3Calls(config, deps);
  return {
    code: 's3',
    ...createS3Writes(calls, config.S3_BUCKET),
    ...createS3Reads(calls, config.S3_BUCKET),
    close: calls.close,
  };
};
