import { z } from 'zod';
import type { PolicySettings } from './settings.ts';
import { saying, type ResourceRule } from './workload.ts';

const isOn = z.boolean().default(false);

/** The parts of a managed database or cache that the policy checks. */
const rdsSchema = z.object({
  publiclyAccessible: isOn,
  storageEncrypted: isOn,
  deletionProtection: isOn,
  multiAz: isOn,
  backupRetentionPeriod: z.int().default(0),
});
const elastiCacheSchema = z.object({
  atRestEncryptionEnabled: isOn,
  transitEncryptionEnabled: isOn,
  authToken: z.unknown().optional(),
  automaticFailoverEnabled: isOn,
});
const cloudSqlSchema = z.object({
  deletionProtection: isOn,
  settings: z
    .object({
      availabilityType: z.string().default('ZONAL'),
      backupConfiguration: z
        .object({ enabled: isOn, pointInTimeRecoveryEnabled: isOn })
        .prefault({}),
      ipConfiguration: z
        .object({
          ipv4Enabled: z.boolean().default(true),
          sslMode: z.string().default('ALLOW_UNENCRYPTED_AND_ENCRYPTED'),
        })
        .prefault({}),
    })
    .prefault({}),
});
const memorystoreSchema = z.object({
  tier: z.string().default('BASIC'),
  authEnabled: isOn,
  transitEncryptionMode: z.string().default('DISABLED'),
});

/** The fewest days for which backups must be kept. */
const minBackupDays = 7;

const ofRds = (props: unknown): readonly string[] => {
  const found = rdsSchema.parse(props);
  return [
    ...saying(
      'the internet reaches it: publiclyAccessible must be false',
      found.publiclyAccessible,
    ),
    ...saying('its disk is in clear: storageEncrypted must be true', !found.storageEncrypted),
    ...saying('anybody may delete it: deletionProtection must be true', !found.deletionProtection),
    ...saying('it ends with its zone: multiAz must be true', !found.multiAz),
    ...saying(
      `its backups are kept for less than ${minBackupDays} days: raise backupRetentionPeriod`,
      found.backupRetentionPeriod < minBackupDays,
    ),
  ];
};

const ofElastiCache = (props: unknown): readonly string[] => {
  const found = elastiCacheSchema.parse(props);
  return [
    ...saying('its disk is in clear: atRestEncryptionEnabled', !found.atRestEncryptionEnabled),
    ...saying('it is reached in clear: transitEncryptionEnabled', !found.transitEncryptionEnabled),
    ...saying('it asks for no password: authToken', found.authToken === undefined),
    ...saying('it ends with its zone: automaticFailoverEnabled', !found.automaticFailoverEnabled),
  ];
};

const ofCloudSql = (props: unknown): readonly string[] => {
  const { deletionProtection, settings } = cloudSqlSchema.parse(props);
  const { availabilityType, backupConfiguration: backups, ipConfiguration: reached } = settings;
  return [
    ...saying('the internet reaches it: ipv4Enabled must be false', reached.ipv4Enabled),
    ...saying(
      'it is reached in clear: sslMode must be ENCRYPTED_ONLY or stricter',
      !['ENCRYPTED_ONLY', 'TRUSTED_CLIENT_CERTIFICATE_REQUIRED'].includes(reached.sslMode),
    ),
    ...saying('anybody may delete it: deletionProtection must be true', !deletionProtection),
    ...saying('it ends with its zone: availabilityType', availabilityType !== 'REGIONAL'),
    ...saying(
      'it can be taken back to no moment: backups and pointInTimeRecoveryEnabled must be true',
      !backups.enabled || !backups.pointInTimeRecoveryEnabled,
    ),
  ];
};

const ofMemorystore = (props: unknown): readonly string[] => {
  const { tier, authEnabled, transitEncryptionMode } = memorystoreSchema.parse(props);
  return [
    ...saying(
      'it is reached in clear: transitEncryptionMode',
      transitEncryptionMode === 'DISABLED',
    ),
    ...saying('it asks for no password: authEnabled', !authEnabled),
    ...saying('it ends with its zone: tier must be STANDARD_HA', tier !== 'STANDARD_HA'),
  ];
};

const stores: Readonly<Record<string, (props: unknown) => readonly string[]>> = {
  'aws:rds/instance:Instance': ofRds,
  'aws:elasticache/replicationGroup:ReplicationGroup': ofElastiCache,
  'gcp:sql/databaseInstance:DatabaseInstance': ofCloudSql,
  'gcp:redis/instance:Instance': ofMemorystore,
};

/**
 * Refuses in prod a managed database or cache that is reachable from the internet, that transfers
 * or stores data unencrypted, that can be deleted by mistake, or that fails with its zone.
 */
export const managedStores =
  ({ tier }: PolicySettings): ResourceRule =>
  (type, props) =>
    tier === 'prod' ? (stores[type]?.(props) ?? []) : [];
