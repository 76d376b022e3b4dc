import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSystemClock } from '../../../platform/clock/clock.ts';
import { createLogger } from '../../../platform/observability/index.ts';
import { createS3Store } from './create-s3-store.ts';

const secret = 'dev-only-s3-secret-access-key';
const key = 'kyc/user-1/document.bin';

interface Seen {
  readonly line: string;
  readonly authorization: string;
  readonly condition: string | undefined;
}

let server: Server;
let url: string;
let seen: Seen[];
let answer: RequestListener;
let lines: string[];
let store: ReturnType<typeof createS3Store>;

const ownKey = { S3_ACCESS_KEY_ID: 'digital-gold', S3_SECRET_ACCESS_KEY: secret };
const noKey = { S3_ACCESS_KEY_ID: undefined, S3_SECRET_ACCESS_KEY: undefined };

const open = (url: string, timeoutMs = 10_000, credential: typeof ownKey | typeof noKey = ownKey) =>
  createS3Store(
    {
      S3_BASE_URL: url,
      S3_REGION: 'us-east-1',
      S3_BUCKET: 'documents',
      ...credential,
      S3_TIMEOUT_MS: timeoutMs,
    },
    {
      clock: createSystemClock(),
      logger: createLogger({
        level: 'debug',
        name: 'test',
        destination: { write: (line: string) => void lines.push(line) },
      }),
    },
  );

const listen = async (): Promise<string> => {
  server = createServer((request, response) => {
    seen.push({
      line: `${request.method} ${request.url}`,
      authorization: request.headers.authorization ?? '',
      condition: request.headers['if-none-match'],
    });
    request.resume();
    request.on('end', () => answer(request, response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not on a port');
  return `http://127.0.0.1:${address.port}`;
};

const refuse =
  (status: number, code: string): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/xml' });
    response.end(`<Error><Code>${code}</Code><Message>no</Message></Error>`);
  };

beforeEach(async () => {
  [seen, lines] = [[], []];
  url = await listen();
  store = open(url);
});
afterEach(async () => {
  await store.close();
  server.closeAllConnections();
  server.close();
});

const put = (options = {}) => store.put(key, Buffer.from('sealed'), 'image/png', options);

it('signs each request, addresses the bucket by path, and logs neither key nor secret', async () => {
  answer = (_request, response) => response.writeHead(200).end();
  expect(await put({ ifAbsent: true })).toEqual({ kind: 'done', value: undefined });
  expect(seen).toEqual([
    {
      line: `PUT /documents/${key}?x-id=PutObject`,
      authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=digital-gold\//u),
      condition: '*',
    },
  ]);
  expect(lines.join('')).toContain('"collaborator":"s3"');
  expect(lines.join('')).not.toMatch(/user-1|dev-only/u);
});

describe('a response that shows nothing about the object', () => {
  it.each([
    ['a failure of the server', refuse(500, 'InternalError'), 'InternalError'],
    ['a wrong credential', refuse(403, 'SignatureDoesNotMatch'), 'HTTP_403 SignatureDoesNotMatch'],
    ['a missing bucket', refuse(404, 'NoSuchBucket'), 'HTTP_404 NoSuchBucket'],
    ['another upload under way', refuse(409, 'ConditionalRequestConflict'), /^HTTP_409/u],
  ])('%s is unknown', async (_name, refusal, reason) => {
    answer = refusal;
    const expected = { kind: 'unknown', reason: expect.stringMatching(reason) };
    expect(await put({ ifAbsent: true })).toEqual(expected);
    expect(await store.get(key)).toEqual(expected);
    expect(await store.delete(key)).toEqual(expected);
  });

  it('a missing bucket is not a missing object, although a head returns 404 for both', async () => {
    answer = (_request, response) => response.writeHead(404).end();
    expect(await store.head(key)).toMatchObject({ kind: 'unknown' });
    expect(seen.map(({ line }) => line)).toEqual([
      `HEAD /documents/${key}`,
      expect.stringMatching(/^HEAD \/documents\/?$/u),
    ]);
  });

  it('a request without a response is unknown and not repeated', async () => {
    answer = () => {};
    // On a busy machine a call may time out before its request arrives.
    for (let timeoutMs = 300; seen.length === 0 && timeoutMs < 60_000; timeoutMs *= 3) {
      const impatient = open(url, timeoutMs);
      expect(await impatient.get(key)).toEqual({ kind: 'unknown', reason: 'TIMED_OUT' });
      await impatient.close();
    }
    expect(seen).toHaveLength(1);
  });

  it('an incomplete body is unknown', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    };
    expect(await store.get(key)).toMatchObject({ kind: 'unknown' });
  });

  it('an object above the limit is unknown', async () => {
    answer = (_request, response) =>
      response.writeHead(200, { 'content-length': String(33 * 1024 * 1024) }).write('x');
    expect(await store.get(key)).toMatchObject({ kind: 'unknown' });
  });
});

it('stops reading an endless object, with any announced length', async () => {
  const sent: number[] = [];
  const cutOff: Promise<unknown>[] = [];
  answer = (_request, response) => {
    cutOff.push(once(response, 'close'));
    const part = Buffer.alloc(1024 * 1024);
    const place = sent.push(0) - 1;
    const write = (): void => {
      const count = (sent[place] ?? 0) + 1;
      sent[place] = count;
      // Three times the largest object is enough to see if the client stops reading.
      if (count > 96) response.end();
      // A part that fails was not sent, because the connection is closed.
      else if (!response.destroyed) response.write(part, (error) => !error && write());
    };
    write();
  };
  expect(await store.get(key)).toMatchObject({ kind: 'unknown' });
  await Promise.all(cutOff);
  // The bytes that the connection had buffered are counted too.
  expect(Math.max(...sent)).toBeLessThan(96);
});

describe('a repeat', () => {
  it('is made for calls that are safe to repeat', async () => {
    answer = (request, response) => {
      if (seen.length < 3) refuse(503, 'SlowDown')(request, response);
      else response.writeHead(200, { 'content-type': 'image/png' }).end('sealed');
    };
    expect(await store.get(key)).toMatchObject({ kind: 'done', value: { sizeBytes: 6 } });
  });

  it('is never made for a conditional put, since the repeat would find its own object', async () => {
    answer = refuse(503, 'SlowDown');
    expect(await put({ ifAbsent: true })).toMatchObject({ kind: 'unknown' });
    expect(seen).toHaveLength(1);
  });
});

it('an absent server is a refusal, since nothing was sent', async () => {
  server.close();
  await once(server, 'close');
  expect(await store.get(key)).toMatchObject({ kind: 'refused', code: 'NOT_SENT' });
});

describe('the identity of the store at the bucket', () => {
  it('is the configured key if there is one', async () => {
    answer = (_request, response) => void response.end();
    await put();
    expect(seen[0]?.authorization).toContain('Credential=digital-gold/');
  });

  it("is the pod's identity if no key is configured", async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'workload-identity');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'of-the-pod');
    const ofThePod = open(url, 10_000, noKey);
    try {
      answer = (_request, response) => void response.end();
      await ofThePod.put(key, Buffer.from('sealed'), 'image/png');
      expect(seen[0]?.authorization).toContain('Credential=workload-identity/');
    } finally {
      await ofThePod.close();
      vi.unstubAllEnvs();
    }
  });
});
