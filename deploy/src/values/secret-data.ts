import { migrationSecret } from '../config/variables.ts';

/** The secrets of a stack, told apart by who may read them. */
interface SecretData {
  /** Environment variables of every process that serves. */
  readonly service: Readonly<Record<string, string>>;
  /** Of the migration job alone: the role that owns the schema. */
  readonly migrations: Readonly<Record<string, string>>;
}

const isOfMigrations = ([name]: readonly [string, string]) => name === migrationSecret;

/** Splits a stack's secrets, so that no process that serves can change the schema. */
export const secretData = (secrets: Readonly<Record<string, string>>): SecretData => {
  const entries = Object.entries(secrets);
  return {
    service: Object.fromEntries(entries.filter((entry) => !isOfMigrations(entry))),
    migrations: Object.fromEntries(entries.filter(isOfMigrations)),
  };
};
