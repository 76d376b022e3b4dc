import { migrationSecret, processSecrets } from '../config/variables.ts';
import type { Process } from '../processes.ts';

type Secrets<Text> = Readonly<Record<string, Text>>;

/** The secrets of a stack by the process that may read them. */
type SecretData<Text> = Readonly<Record<Process | 'migrations', Secrets<Text>>>;

/**
 * Splits a stack's secrets. Each process gets the secrets that it reads, and the migrations get
 * their role's address.
 */
export const secretData = <Text>(secrets: Secrets<Text>): SecretData<Text> => {
  const pick = (names: readonly string[]): Secrets<Text> =>
    Object.fromEntries(Object.entries(secrets).filter(([name]) => names.includes(name)));
  return {
    customer: pick(processSecrets.customer),
    admin: pick(processSecrets.admin),
    accounting: pick(processSecrets.accounting),
    worker: pick(processSecrets.worker),
    migrations: pick([migrationSecret]),
  };
};
