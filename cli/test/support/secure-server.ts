import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A server with a certificate of its own, good for thirty days. */
export interface SecureServer {
  readonly url: string;
  /** The file of the certificate, which nobody trusts by itself. */
  readonly certificate: string;
  close(): Promise<void>;
}

/** Starts one that answers every request with the body. */
export const startSecureServer = async (status: number, body: unknown): Promise<SecureServer> => {
  const folder = mkdtempSync(join(tmpdir(), 'goldctl-tls-'));
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const words = 'req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=localhost'.split(' ');
  const names = ['-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', [...words, ...names, '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  });
  const tls = { key: readFileSync(key), cert: readFileSync(certificate) };
  const server = createServer(tls, (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `https://localhost:${port}`,
    certificate,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
