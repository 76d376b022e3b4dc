import { readSettings } from '../shared/read-settings.ts';
import { gkeSettings } from './settings.ts';
import { createGkeStack } from './stack.ts';

const { settings, passwords } = readSettings(gkeSettings);

export const {
  kubeconfig,
  databaseUrl,
  migrateDatabaseUrl,
  redisUrl,
  s3SecretAccessKey,
  redisAuthority,
  bucket,
  s3AccessKeyId,
} = createGkeStack(settings, passwords);
