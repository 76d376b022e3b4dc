import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setDefaultCACertificates, getCACertificates } from 'node:tls';
import { createObjectStore } from '../../src/adapters/object-store/create-object-store.ts';
import type { ObjectStore } from '../../src/adapters/object-store/port.ts';
import { createSystemClock } from '../../src/platform/clock/clock.ts';
import { createLogger } from '../../src/platform/observability/index.ts';
import { waitUntilReady } from '../../dev/stack/start-server.ts';

const repository = join(import.meta.dirname, '..', '..', '..');
/** The path of the S3 server, which `make tools` builds. */
export const versitygw = join(repository, '.tools', 'bin', 'versitygw');

export const storeCredentials = { id: 'digital-gold', secret: 'dev-only-s3-secret-access-key' };

/** Creates an authority, and a certificate signed by it for this machine's name. */
const makeCertificates = (folder: string) => {
  const of = (name: string): string => join(folder, name);
  const quiet = { stdio: 'ignore' } as const;
  const key = ['-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  const authority = ['-x509', '-subj', '/CN=backup authority', '-keyout', of('ca.key')];
  execFileSync('openssl', ['req', ...key, ...authority, '-out', of('ca.crt')], quiet);
  const request = ['-subj', '/CN=localhost', '-keyout', of('s3.key'), '-out', of('s3.csr')];
  execFileSync('openssl', ['req', ...key, ...request], quiet);
  writeFileSync(of('names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  const signing = ['x509', '-req', '-in', of('s3.csr')];
  signing.push('-CA', of('ca.crt'), '-CAkey', of('ca.key'));
  signing.push('-CAcreateserial', '-days', '2', '-extfile', of('names'), '-out', of('s3.crt'));
  execFileSync('openssl', signing, quiet);
  return { authority: of('ca.crt'), certificate: of('s3.crt'), key: of('s3.key') };
};

const keysIn = (url: string): ObjectStore =>
  createObjectStore(
    {
      APP_MODE: 'test',
      OBJECT_STORE: 's3',
      S3_BASE_URL: url,
      S3_BUCKET: 'keys',
      S3_ACCESS_KEY_ID: storeCredentials.id,
      S3_SECRET_ACCESS_KEY: storeCredentials.secret,
    },
    {
      clock: createSystemClock(),
      logger: createLogger({ level: 'silent', name: 'restore' }),
    },
  );

/** An S3 over TLS with a bucket for backups and one for keys. */
export interface BackupStore {
  readonly port: number;
  /** The certificate of the authority that signed its certificate. */
  readonly authority: string;
  /** The second copy of the keys, in another bucket. */
  readonly keys: ObjectStore;
  close(): void;
}

/** Starts an S3 server that keeps its files in a folder. */
export const openBackupStore = async (folder: string, port: number): Promise<BackupStore> => {
  const files = makeCertificates(folder);
  const data = join(folder, 's3');
  for (const bucket of ['backups', 'keys']) mkdirSync(join(data, bucket), { recursive: true });
  const args = ['--port', `127.0.0.1:${port}`, '--health', '/health', '--quiet'];
  args.push('--cert', files.certificate, '--key', files.key, 'posix', data);
  const env = { ROOT_ACCESS_KEY: storeCredentials.id, ROOT_SECRET_KEY: storeCredentials.secret };
  const server = spawn(versitygw, args, { env: { ...process.env, ...env }, stdio: 'ignore' });
  process.once('exit', () => server.kill('SIGKILL'));
  setDefaultCACertificates([
    ...getCACertificates('default'),
    readFileSync(files.authority, 'utf8'),
  ]);
  const url = `https://localhost:${port}`;
  const isUp = async (): Promise<boolean> =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  if (!(await waitUntilReady(isUp, 30_000))) throw new Error('the S3 did not start');
  return {
    port,
    authority: files.authority,
    keys: keysIn(url),
    close: () => void server.kill(),
  };
};
