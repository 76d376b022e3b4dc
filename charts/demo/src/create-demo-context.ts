import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createStepState } from '@digital-gold/backend/demo';
import type { DemoState, DemoContext } from './cluster.types.ts';
import type { DemoOptions } from './read-options.ts';
import { createKubectl } from './tools/create-kubectl.ts';
import { openPortForward } from './tools/open-port-forward.ts';
import { runTool } from './tools/run-tool.ts';

interface ContextOptions {
  readonly options: DemoOptions;
  readonly repository: string;
  readonly print: (line: string) => void;
  /** Name of the kube context, for goldctl, which wants one. */
  readonly kubeContext: string;
}

/** Creates the context that the steps of a run share. `close` ends what they opened. */
export const createDemoContext = (given: ContextOptions): DemoContext & { close(): void } => {
  const { options, repository, print, kubeContext } = given;
  const { namespace } = options;
  const kubectl = createKubectl(kubeContext, namespace);
  const closers: (() => void)[] = [];
  const helmBase = ['--kube-context', kubeContext, '--namespace', namespace];
  const goldctl = join(repository, 'cli', 'bin', 'goldctl.mjs');
  const goldctlBase = [goldctl, '--context', kubeContext, '--namespace', namespace];
  return {
    options,
    repository,
    kubeContext,
    kubectl,
    print,
    sleep: (ms) => delay(ms),
    helm: (args) => runTool('helm', [...args, ...helmBase], { cwd: repository }),
    goldctl: (args, toolOptions = {}) =>
      runTool(process.execPath, [...goldctlBase, ...args], { ...toolOptions, cwd: repository }),
    async forward(target, port) {
      const opened = await openPortForward(kubectl, target, port);
      closers.push(() => opened.close());
      return opened;
    },
    ...createStepState<DemoState>(),
    close() {
      for (const close of closers) close();
    },
  };
};
