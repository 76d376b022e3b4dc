import * as pulumi from '@pulumi/pulumi';

/** The database of the service, and the two roles that an administrator makes in it once. */
export const databaseName = 'digital_gold';
const applicationRole = 'dgs_app';
const migrateRole = 'dgs_migrate';

/** Passwords that the examples are given, each set with `--secret`. */
export interface Passwords {
  readonly application: pulumi.Input<string>;
  readonly migrate: pulumi.Input<string>;
}

/** The addresses that the service's stack refers to, by the names of its outputs. */
export interface DatabaseAddresses {
  readonly databaseUrl: pulumi.Output<string>;
  readonly migrateDatabaseUrl: pulumi.Output<string>;
}

/** Returns the addresses of a database for the two roles, over TLS and as secrets. */
export const databaseAddresses = (
  host: pulumi.Input<string>,
  { application, migrate }: Passwords,
): DatabaseAddresses => {
  const addressFor = (role: string, password: pulumi.Input<string>) =>
    pulumi.secret(
      pulumi
        .all([host, password])
        .apply(
          ([at, word]) =>
            `postgresql://${role}:${encodeURIComponent(word)}@${at}:5432/${databaseName}?sslmode=require`,
        ),
    );
  return {
    databaseUrl: addressFor(applicationRole, application),
    migrateDatabaseUrl: addressFor(migrateRole, migrate),
  };
};

/** Returns the address of a cache over TLS, as a secret. */
export const redisAddress = (
  host: pulumi.Input<string>,
  port: pulumi.Input<number>,
  password: pulumi.Input<string>,
): pulumi.Output<string> =>
  pulumi.secret(
    pulumi
      .all([host, port, password])
      .apply(([at, number, word]) => `rediss://:${encodeURIComponent(word)}@${at}:${number}`),
  );
