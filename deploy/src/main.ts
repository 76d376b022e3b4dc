import { fileURLToPath } from 'node:url';
import * as pulumi from '@pulumi/pulumi';
import { parseStackConfig, StackConfigError } from './config/parse-stack-config.ts';
import { openReleases } from './config/release.ts';
import type { StackConfig } from './config/stack-config.ts';
import { createStack } from './stack.ts';

/** The keys that the CLI stores encrypted. It passes the list along with the configuration. */
const secretKeys = (): readonly string[] => {
  const keys: unknown = JSON.parse(process.env['PULUMI_CONFIG_SECRET_KEYS'] ?? '[]');
  return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [];
};

const releases = openReleases(fileURLToPath(new URL('../releases', import.meta.url)));

const readConfig = (): StackConfig => {
  try {
    return parseStackConfig(pulumi.runtime.allConfig(), secretKeys(), releases);
  } catch (error) {
    if (!(error instanceof StackConfigError)) throw error;
    // The error is shown without a stack trace, since the mistake is in the configuration. With a
    // stack trace, the SDK would take a minute to colour it, and then leave it out.
    const refusal = new pulumi.RunError(error.message);
    refusal.stack = '';
    throw refusal;
  }
};

export const { namespace, release, version, image, hosts, settings, kubeconfig } =
  createStack(readConfig());
