import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { mustRun } from './run-command.ts';

/** A registry of charts on loopback: as much of the OCI distribution as helm pushes and pulls by. */
export interface Registry {
  /** Its address, such as `oci://localhost:40123/charts`. */
  readonly url: string;
  /** The environment in which helm trusts its certificate. */
  readonly env: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

/** Where Linux keeps the authorities that it trusts. */
const ofThisMachine = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt'];

interface Stored {
  readonly type: string;
  readonly body: Buffer;
}

const digestOf = (body: Buffer): string =>
  `sha256:${createHash('sha256').update(body).digest('hex')}`;

const send = (
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string | number>> = {},
  body?: Buffer,
): void => {
  response.writeHead(status, headers).end(body);
};

const sendStored = (
  { method }: IncomingMessage,
  response: ServerResponse,
  found: Stored | undefined,
): void => {
  if (found === undefined) {
    send(response, 404);
    return;
  }
  const { type, body } = found;
  const headers = {
    'content-type': type,
    'content-length': body.length,
    'docker-content-digest': digestOf(body),
  };
  send(response, 200, headers, method === 'HEAD' ? undefined : body);
};

/** Answers as a registry does. What was pushed is kept until the process ends. */
const createAnswers = () => {
  const stored = new Map<string, Stored>();
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET' } = request;
    const { pathname, searchParams } = new URL(request.url ?? '/', 'https://registry');
    const body = await buffer(request);
    if (method === 'GET' || method === 'HEAD') {
      if (pathname === '/v2/') send(response, 200);
      else sendStored(request, response, stored.get(pathname));
      return;
    }
    if (method === 'POST') {
      send(response, 202, { location: `${pathname}${randomUUID()}`, 'content-length': 0 });
      return;
    }
    const type = request.headers['content-type'] ?? 'application/octet-stream';
    const isBlob = pathname.includes('/blobs/uploads/');
    const place = isBlob
      ? pathname.replace(/uploads\/.*$/u, searchParams.get('digest') ?? '')
      : pathname;
    stored.set(place, { type, body });
    if (!isBlob) stored.set(place.replace(/[^/]+$/u, digestOf(body)), { type, body });
    send(response, 201, { location: place, 'docker-content-digest': digestOf(body) });
  };
};

/** Starts a registry with a certificate of its own, kept in a folder. */
export const startRegistry = async (folder: string): Promise<Registry> => {
  const [key, cert] = [`${folder}/registry.key`, `${folder}/registry.crt`];
  await mustRun('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost',
    '-keyout',
    key,
    '-out',
    cert,
  ]);
  // Beside the authorities of this machine, which the CLI may want as well.
  const trusted = `${folder}/trusted.crt`;
  const known = ofThisMachine.filter((file) => existsSync(file)).slice(0, 1);
  writeFileSync(trusted, [...known, cert].map((file) => readFileSync(file, 'utf8')).join('\n'));
  const answer = createAnswers();
  const server = createServer(
    { key: readFileSync(key), cert: readFileSync(cert) },
    (request, response) => {
      answer(request, response).catch((error: unknown) => {
        response.destroy(error instanceof Error ? error : undefined);
      });
    },
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `oci://localhost:${port}/charts`,
    env: { SSL_CERT_FILE: trusted },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};
