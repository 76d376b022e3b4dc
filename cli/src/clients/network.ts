import { readFileSync } from 'node:fs';
import * as http from 'node:http';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { proxyEnvironment } from './proxy.ts';

const certificateForm = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/gu;

const readCertificates = (path: string): string[] => {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new CliError(`--ca-file: ${path} can't be read`, exitCodes.usage);
  }
  const found = text.match(certificateForm) ?? [];
  if (found.length > 0) return [...found];
  throw new CliError(`--ca-file: ${path} has no certificate`, exitCodes.usage, 'It must be PEM.');
};

/** Newer than the oldest Node that goldctl runs on. */
const setProxies: unknown = Reflect.get(http, 'setGlobalProxyFromEnv');

const useProxies = ({ env, stderr }: Pick<CliDeps, 'env' | 'stderr'>): void => {
  const proxies = proxyEnvironment(env);
  if (proxies === undefined || env['NODE_USE_ENV_PROXY'] === '1') return;
  if (typeof setProxies === 'function') {
    Reflect.apply(setProxies, http, [proxies]);
    return;
  }
  // A cluster is reached through it all the same, and a local stack needs none.
  stderr('Node is too old to use the proxy: use Node 24.14, or 22.21 with NODE_USE_ENV_PROXY=1\n');
};

/**
 * Configures every connection of this process. It uses the proxies of the environment, and the
 * certificates of `--ca-file` in addition to the system's.
 * @throws CliError usage
 */
export const prepareNetwork = (
  deps: Pick<CliDeps, 'env' | 'stderr'>,
  caFile: string | undefined,
): void => {
  useProxies(deps);
  if (caFile === undefined) return;
  const known = [...getCACertificates('default'), ...getCACertificates('extra')];
  setDefaultCACertificates([...known, ...readCertificates(caFile)]);
};
