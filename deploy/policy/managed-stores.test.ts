import { describe, expect, it } from 'vitest';
import { managedStores } from './managed-stores.ts';
import type { PolicySettings } from './settings.ts';

const prod: PolicySettings = { tier: 'prod', internalClasses: [], internalGateways: [] };
const rule = managedStores(prod);

const rds = {
  type: 'aws:rds/instance:Instance',
  good: {
    publiclyAccessible: false,
    storageEncrypted: true,
    deletionProtection: true,
    multiAz: true,
    backupRetentionPeriod: 35,
  },
};
const elastiCache = {
  type: 'aws:elasticache/replicationGroup:ReplicationGroup',
  good: {
    atRestEncryptionEnabled: true,
    transitEncryptionEnabled: true,
    authToken: 'a secret',
    automaticFailoverEnabled: true,
  },
};
const backups = { enabled: true, pointInTimeRecoveryEnabled: true };
const reached = { ipv4Enabled: false, sslMode: 'ENCRYPTED_ONLY' };
const settings = {
  availabilityType: 'REGIONAL',
  backupConfiguration: backups,
  ipConfiguration: reached,
};
const cloudSql = {
  type: 'gcp:sql/databaseInstance:DatabaseInstance',
  good: { deletionProtection: true, settings },
};
const memorystore = {
  type: 'gcp:redis/instance:Instance',
  good: { tier: 'STANDARD_HA', authEnabled: true, transitEncryptionMode: 'SERVER_AUTHENTICATION' },
};

describe('a managed store of prod', () => {
  it.each([rds, elastiCache, cloudSql, memorystore])('may be $type', ({ type, good }) => {
    expect(rule(type, good)).toEqual([]);
  });

  it.each([
    ['publiclyAccessible', rds, { publiclyAccessible: true }],
    ['storageEncrypted', rds, { storageEncrypted: undefined }],
    ['deletionProtection', rds, { deletionProtection: false }],
    ['multiAz', rds, { multiAz: false }],
    ['backupRetentionPeriod', rds, { backupRetentionPeriod: 6 }],
    ['atRestEncryptionEnabled', elastiCache, { atRestEncryptionEnabled: false }],
    ['transitEncryptionEnabled', elastiCache, { transitEncryptionEnabled: false }],
    ['authToken', elastiCache, { authToken: undefined }],
    ['automaticFailoverEnabled', elastiCache, { automaticFailoverEnabled: false }],
    ['deletionProtection', cloudSql, { deletionProtection: false }],
    ['availabilityType', cloudSql, { settings: { ...settings, availabilityType: 'ZONAL' } }],
    [
      'ipv4Enabled',
      cloudSql,
      { settings: { ...settings, ipConfiguration: { sslMode: 'ENCRYPTED_ONLY' } } },
    ],
    ['sslMode', cloudSql, { settings: { ...settings, ipConfiguration: { ipv4Enabled: false } } }],
    [
      'pointInTimeRecoveryEnabled',
      cloudSql,
      { settings: { ...settings, backupConfiguration: {} } },
    ],
    ['transitEncryptionMode', memorystore, { transitEncryptionMode: 'DISABLED' }],
    ['authEnabled', memorystore, { authEnabled: false }],
    ['STANDARD_HA', memorystore, { tier: 'BASIC' }],
  ])('may not be wrong in %s', (name, { type, good }, change) => {
    const violations = rule(type, { ...good, ...change });
    expect(violations).toHaveLength(1);
    expect(violations[0]).toContain(name);
  });
});

it('asks nothing of other tiers, nor of other resources', () => {
  expect(managedStores({ ...prod, tier: 'dev' })(rds.type, {})).toEqual([]);
  expect(rule('aws:s3/bucket:Bucket', {})).toEqual([]);
});
