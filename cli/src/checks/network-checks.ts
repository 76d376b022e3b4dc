import { z } from 'zod';
import { CliError } from '../cli-error.ts';
import { releaseSelector, type KubePod } from '../clients/kube.ts';
import { certificateCheck } from './certificate-checks.ts';
import type { Check, Finding } from './check.types.ts';
import { itemsOf, type Release } from './installation.ts';

/** A script that prints whether a connection to an address can be opened. It runs in a pod. */
const probeScript = `
const [host, port] = process.argv.slice(1);
const socket = require('node:net').connect({ host, port: Number(port), timeout: 3000 });
const end = (open) => { console.log(JSON.stringify({ open })); process.exit(0); };
socket.on('connect', () => end(true)).on('timeout', () => end(false)).on('error', () => end(false));
`;

const probeAnswer = z.object({ open: z.boolean() });

const readyPod = (pods: readonly KubePod[], component: string): KubePod | undefined =>
  pods.find(
    ({ labels, isReady, isTerminating }) =>
      labels['app.kubernetes.io/component'] === component && isReady && !isTerminating,
  );

/** Tries a connection that the chart's policies forbid, from the admin API to the customer API. */
const probe = async ({ client, pods }: Release): Promise<Finding> => {
  const [from, to] = [readyPod(itemsOf(pods), 'admin'), readyPod(itemsOf(pods), 'customer')];
  const port = to?.ports['http'];
  if (from === undefined || to?.ip === undefined || port === undefined) {
    return { status: 'not-run', detail: 'An admin and a customer pod must be ready to try it.' };
  }
  const { stdout } = await client.execInPod({
    pod: from.name,
    command: ['node', '-e', probeScript, to.ip, String(port)],
    timeoutMs: 15_000,
  });
  const read = probeAnswer.safeParse(JSON.parse(stdout.trim() || '{}'));
  if (!read.success) return { status: 'not-run', detail: `Pod ${from.name} could not try it.` };
  return read.data.open
    ? {
        status: 'warning',
        detail: `Pod ${from.name} reaches ${to.name}, which no policy allows.`,
      }
    : { status: 'ok', detail: `Pod ${from.name} does not reach ${to.name}.` };
};

const policyFinding = async (release: Release, mayExec: boolean): Promise<Finding> => {
  const policies = await release.client.listNetworkPolicies(releaseSelector);
  if (policies.length === 0) {
    return { status: 'warning', detail: 'The release has no network policy.' };
  }
  return mayExec
    ? probe(release)
    : { status: 'not-run', detail: 'This check only runs from outside the cluster.' };
};

/** The checks of network policies and certificates. */
export const networkChecks: readonly Check[] = [
  {
    id: 'network-policy-in-force',
    category: 'network',
    title: 'network policies are in force',
    hint: 'Set networkPolicy.enabled in the chart, and use a network plugin that enforces them.',
    run: async ({ release, context, deps }) => {
      if (release === undefined) return [];
      try {
        return [await policyFinding(release, context.kind === 'kube' && !context.inCluster)];
      } catch (error) {
        deps.signal.throwIfAborted();
        if (!(error instanceof CliError) && !(error instanceof SyntaxError)) throw error;
        return [{ status: 'not-run', detail: error.message }];
      }
    },
  },
  certificateCheck,
];
