import * as pulumi from '@pulumi/pulumi';
import { readSettings } from '../shared/read-settings.ts';
import { eksSettings } from './settings.ts';
import { createEksStack } from './stack.ts';

const { settings, passwords } = readSettings(eksSettings);
const cachePassword = new pulumi.Config().requireSecret('cachePassword');

export const { kubeconfig, databaseUrl, migrateDatabaseUrl, redisUrl, bucket } = createEksStack(
  settings,
  passwords,
  cachePassword,
);
