import { isAbsolute, join } from 'node:path';
import type { CliDeps } from '../cli-deps.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Context } from './context.ts';

/** The stack or the release that a command is about. Reads nothing yet. */
export const resolveContext = (deps: CliDeps, options: GlobalOptions): Context => {
  const { namespace, inCluster } = options;
  if (inCluster) return { kind: 'kube', context: undefined, namespace, inCluster };
  if (options.context !== 'local') {
    return { kind: 'kube', context: options.context, namespace, inCluster };
  }
  const given = deps.env['STACK_HOME'] ?? '';
  const folder = given === '' ? '.dev' : given;
  const home = isAbsolute(folder) ? folder : join(deps.repository, folder);
  return { kind: 'local', repository: deps.repository, home };
};
