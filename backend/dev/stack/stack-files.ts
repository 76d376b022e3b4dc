import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { developmentAdmins, developmentPortalUsers } from './development-accounts.ts';
import {
  baseUrl,
  environmentOf,
  longRunning,
  publishedSecrets,
  sharedEnvironment,
  type StackAddresses,
} from './environment.ts';
import type { StackPaths } from './stack-paths.ts';
import { writeMissingSwitches } from './switch-files.ts';

/**
 * Returns the addresses, accounts and secrets of a running stack, for tests and tools
 * (contract: local-stack > Endpoints file).
 */
export const describeEndpoints = (addresses: StackAddresses) => ({
  customer: baseUrl(addresses.ports.customer),
  admin: baseUrl(addresses.ports.admin),
  accounting: baseUrl(addresses.ports.accounting),
  sandbox: baseUrl(addresses.ports.sandbox),
  /** Probes and metrics. */
  internal: {
    customer: baseUrl(addresses.ports.customerInternal),
    admin: baseUrl(addresses.ports.adminInternal),
    accounting: baseUrl(addresses.ports.accountingInternal),
    worker: baseUrl(addresses.ports.workerInternal),
  },
  database: addresses.migrateUrl,
  redis: addresses.redisUrl,
  settingsDir: addresses.settingsDir,
  admins: developmentAdmins,
  portalUsers: developmentPortalUsers,
  webhookSecrets: {
    payment: {
      sandbox: publishedSecrets.sandboxWebhook,
      cashfree: publishedSecrets.cashfreeClient,
      razorpay: publishedSecrets.razorpayWebhook,
    },
    payout: publishedSecrets.payoutWebhook,
    kyc: publishedSecrets.kycWebhook,
  },
  jwtSecret: publishedSecrets.jwtSecret,
});

/** Quotes a value for a shell and for a line of an env file. */
const quoted = (value: string): string => {
  if (/^[\w.:/@,+=-]*$/u.test(value)) return value;
  return `'${value.replaceAll("'", String.raw`'\''`)}'`;
};

const lines = (environment: Readonly<Record<string, string>>): string =>
  Object.entries(environment)
    .map(([name, value]) => `${name}=${quoted(value)}\n`)
    .join('');

/**
 * Returns the environment file. It has the variables that all processes share, as a shell or an
 * env-file reader takes it, and in comments the variables of each process.
 */
export const describeEnvironment = (addresses: StackAddresses): string => {
  const shared = {
    ...sharedEnvironment(addresses),
    MIGRATE_DATABASE_URL: addresses.migrateUrl,
  };
  const sections = longRunning.map((name) => {
    const own = Object.entries(environmentOf(name, addresses)).filter(([key]) => !(key in shared));
    const commented = own.map(([key, value]) => `# ${key}=${quoted(value)}\n`);
    return `\n# ${name} besides:\n${commented.join('')}`;
  });
  const title = '# The environment of the local stack, written by "make up".\n';
  return `${title}${lines(shared)}${sections.join('')}`;
};

const writePrivate = (path: string, text: string): void => {
  writeFileSync(path, text, { mode: 0o600 });
  // The mode above is only for a new file.
  chmodSync(path, 0o600);
};

/** Makes the stack's folders and the files that others read. */
export const writeStackFiles = (paths: StackPaths, addresses: StackAddresses): void => {
  for (const folder of [paths.logs, paths.run, paths.objects, paths.sandboxData]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  writeMissingSwitches(paths.settings);
  const endpoints = JSON.stringify(describeEndpoints(addresses), undefined, 2);
  writePrivate(paths.endpointsFile, `${endpoints}\n`);
  writePrivate(paths.environmentFile, describeEnvironment(addresses));
};
