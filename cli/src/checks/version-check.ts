import type { KubeDeployment } from '../clients/kube.ts';
import type { Check, Finding } from './check.types.ts';
import { itemsOf } from './installation.ts';

const numbered = /^v?(?<number>\d+\.\d+\.\d+(?:[-+_.].*)?)$/u;

/** Returns the running version, or undefined if the image's tag is a digest or a branch. */
const versionOf = ({ labels }: KubeDeployment): string | undefined =>
  numbered.exec(labels['app.kubernetes.io/version'] ?? '')?.groups?.['number'];

const compare = (deployments: readonly KubeDeployment[], own: string): Finding => {
  const named = deployments.flatMap((deployment) => {
    const version = versionOf(deployment);
    return version === undefined ? [] : [{ name: deployment.name, version }];
  });
  if (named.length === 0) {
    return { status: 'not-run', detail: 'No deployment is labelled with a numbered version.' };
  }
  // A label can't contain the plus sign of a version.
  const others = named.filter(({ version }) => version !== own.replaceAll('+', '_'));
  if (others.length === 0) return { status: 'ok', detail: `All are ${own}.` };
  const listed = others.map(({ name, version }) => `${name} is ${version}`).join(', ');
  return { status: 'warning', detail: `goldctl is ${own}; ${listed}.` };
};

/** Compares the version of this goldctl with that of the release. */
export const versionCheck: Check = {
  id: 'same-version',
  category: 'deployments',
  title: 'goldctl and the service have the same version',
  hint: 'Use the goldctl of the service’s release: another one may not understand its responses.',
  run: ({ release, deps }) =>
    release === undefined ? [] : [compare(itemsOf(release.deployments), deps.version)],
};
