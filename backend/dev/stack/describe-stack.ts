import { relative } from 'node:path';
import { developmentAdmins } from './development-accounts.ts';
import { baseUrl, type StackAddresses } from './environment.ts';
import type { StackPaths } from './stack-paths.ts';

/** Returns the text that `make up` prints when the stack is ready: addresses, files, accounts. */
export const describeStack = (
  paths: StackPaths,
  { ports }: StackAddresses,
  seconds: number,
): string => {
  const file = (path: string): string => relative(paths.repository, path);
  const operator = developmentAdmins.SUPER_ADMIN;
  return [
    '',
    `The stack is ready after ${seconds.toFixed(1)} s.`,
    `  customer    ${baseUrl(ports.customer)}/v1    (docs: ${baseUrl(ports.customer)}/docs)`,
    `  admin       ${baseUrl(ports.admin)}/v1    (docs: ${baseUrl(ports.admin)}/docs)`,
    `  accounting  ${baseUrl(ports.accounting)}/api/v1/accounting`,
    `  sandbox     ${baseUrl(ports.sandbox)}/`,
    '',
    `  operator    ${operator.email}  ${operator.password}`,
    `  more        ${file(paths.endpointsFile)}, ${file(paths.environmentFile)}, ${file(paths.logs)}/`,
    '',
    '"make demo" plays a customer\'s story; "make down" stops the stack.',
  ].join('\n');
};
