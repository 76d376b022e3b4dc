import type { KubeDeployment } from '../clients/kube.ts';
import type { CheckRecord, CheckStatus } from './check.types.ts';
import { makeRecord } from './make-record.ts';
import { processNames } from './process-probe.ts';

const id = 'deployment-available';

const finding = (deployment: KubeDeployment): [CheckStatus, string] => {
  const { wantedReplicas: wanted, availableReplicas: available, trouble } = deployment;
  if (!deployment.isObserved) {
    return ['failed', 'The cluster has not yet taken up its newest change.'];
  }
  if (wanted === 0) return ['warning', 'It is scaled to zero.'];
  const reason = trouble === undefined ? '' : ` ${trouble}`;
  if (available < wanted) {
    return ['failed', `${available} of ${wanted} replicas are available.${reason}`];
  }
  const updated = deployment.updatedReplicas;
  if (updated < wanted) {
    return ['failed', `${updated} of ${wanted} replicas are of the newest version.${reason}`];
  }
  return ['ok', `${available} of ${wanted} replicas are available.`];
};

/** Whether each process has its deployment, and all of its replicas. */
export const deploymentRecords = (deployments: readonly KubeDeployment[]): CheckRecord[] =>
  processNames.flatMap((process) => {
    const own = deployments.filter(
      ({ labels }) => labels['app.kubernetes.io/component'] === process,
    );
    if (own.length === 0) {
      return [
        makeRecord(id, {
          title: `a deployment of ${process} is available`,
          status: 'failed',
          detail: 'There is none in the namespace.',
          hint: 'Install the chart, or name the namespace of the release with --namespace.',
        }),
      ];
    }
    return own.map((deployment) => {
      const [status, detail] = finding(deployment);
      return makeRecord(id, {
        title: `deployment ${deployment.name} is available`,
        status,
        detail,
      });
    });
  });
