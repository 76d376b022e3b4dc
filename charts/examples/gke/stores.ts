import * as gcp from '@pulumi/gcp';
import * as pulumi from '@pulumi/pulumi';
import {
  databaseAddresses,
  databaseName,
  redisAddress,
  type Passwords,
} from '../shared/addresses.ts';
import type { GkeSettings } from './settings.ts';

interface StoresArgs {
  readonly settings: GkeSettings;
  readonly passwords: Passwords;
}

/** Creates the database and the cache. Each is in two zones and has only private addresses. */
export class GkeStores extends pulumi.ComponentResource {
  readonly databaseUrl: pulumi.Output<string>;
  readonly migrateDatabaseUrl: pulumi.Output<string>;
  readonly redisUrl: pulumi.Output<string>;
  /** The certificate authority of the cache, which no system trusts by itself. */
  readonly redisAuthority: pulumi.Output<string>;

  constructor(
    name: string,
    { settings, passwords }: StoresArgs,
    options?: pulumi.ComponentResourceOptions,
  ) {
    super('digital-gold:examples:GkeStores', name, {}, options);
    const peering = this.#peer(name, settings);
    const database = this.#createDatabase(`${name}-database`, settings, peering);
    const cache = this.#createCache(`${name}-cache`, settings, peering);
    const addresses = databaseAddresses(database.privateIpAddress, passwords);
    this.databaseUrl = addresses.databaseUrl;
    this.migrateDatabaseUrl = addresses.migrateDatabaseUrl;
    this.redisUrl = redisAddress(cache.host, cache.port, cache.authString);
    this.redisAuthority = cache.serverCaCerts.apply(([first]) => first?.cert ?? '');
    this.registerOutputs({
      databaseUrl: this.databaseUrl,
      migrateDatabaseUrl: this.migrateDatabaseUrl,
      redisUrl: this.redisUrl,
      redisAuthority: this.redisAuthority,
    });
  }

  /** Lends a range of the network to Google's services, by which both stores are reached. */
  #peer(name: string, { network }: GkeSettings): gcp.servicenetworking.Connection {
    const range = new gcp.compute.GlobalAddress(
      `${name}-stores`,
      { purpose: 'VPC_PEERING', addressType: 'INTERNAL', prefixLength: 20, network },
      { parent: this },
    );
    return new gcp.servicenetworking.Connection(
      `${name}-stores`,
      {
        network,
        service: 'servicenetworking.googleapis.com',
        reservedPeeringRanges: [range.name],
      },
      { parent: this },
    );
  }

  #createDatabase(name: string, { region, network }: GkeSettings, peering: pulumi.Resource) {
    const instance = new gcp.sql.DatabaseInstance(
      name,
      {
        databaseVersion: 'POSTGRES_15',
        region,
        deletionProtection: true,
        settings: {
          tier: 'db-custom-2-7680',
          edition: 'ENTERPRISE',
          availabilityType: 'REGIONAL',
          diskAutoresize: true,
          deletionProtectionEnabled: true,
          backupConfiguration: {
            enabled: true,
            pointInTimeRecoveryEnabled: true,
            transactionLogRetentionDays: 7,
            backupRetentionSettings: { retainedBackups: 35 },
          },
          ipConfiguration: {
            ipv4Enabled: false,
            privateNetwork: network,
            sslMode: 'ENCRYPTED_ONLY',
          },
        },
      },
      { parent: this, protect: true, dependsOn: peering },
    );
    new gcp.sql.Database(
      name,
      { name: databaseName, instance: instance.name },
      { parent: this, protect: true },
    );
    return instance;
  }

  #createCache(
    name: string,
    { region, network }: GkeSettings,
    peering: pulumi.Resource,
  ): gcp.redis.Instance {
    return new gcp.redis.Instance(
      name,
      {
        tier: 'STANDARD_HA',
        memorySizeGb: 1,
        redisVersion: 'REDIS_7_2',
        region,
        authorizedNetwork: network,
        connectMode: 'PRIVATE_SERVICE_ACCESS',
        authEnabled: true,
        transitEncryptionMode: 'SERVER_AUTHENTICATION',
      },
      { parent: this, dependsOn: peering },
    );
  }
}
