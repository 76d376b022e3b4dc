import type { DemoContext } from './cluster.types.ts';
import { components, service } from './release.ts';

/** The last rolling update, as the pods carry it. */
const rollAnnotation = 'digital-gold-demo-roll';

interface UpgradeOptions {
  /** The chart's folder. */
  readonly chart?: string;
  /** Further values, as `--set` takes them. */
  readonly values?: readonly string[];
}

/**
 * Installs the service, or brings it to what the demo has now, and waits until all of it is ready.
 * @throws Error with helm's words
 */
export const upgradeService = async (
  context: DemoContext,
  { chart = 'charts/digital-gold', values = [] }: UpgradeOptions = {},
): Promise<void> => {
  const { options } = context;
  const { repository, tag } = context.readState('image');
  const roll = context.readState('roll');
  const strings = [
    `image.repository=${repository}`,
    `image.tag=${tag}`,
    `ingress.controller=${options.controller}`,
    `ingress.publicClassName=${options.publicClass}`,
    `ingress.internalClassName=${options.internalClass}`,
    ...components.map((name) => `${name}.podAnnotations.${rollAnnotation}=${roll}`),
  ];
  await context.helm([
    'upgrade',
    '--install',
    service,
    chart,
    '--values=charts/digital-gold/ci/testbed-values.yaml',
    ...strings.map((string) => `--set-string=${string}`),
    ...values.map((value) => `--set=${value}`),
    '--wait',
    '--timeout=10m',
  ]);
};
