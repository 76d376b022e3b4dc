import { apis, processes } from '../processes.ts';
import { problemIf, type Rule } from './problem.ts';

/**
 * The paths of the chart's values that a key of the stack sets, with that key. The rules of the
 * tiers apply to the keys, so these values must not be set in another way.
 */
const governed: Readonly<Record<string, string>> = {
  image: '`release` or `image`',
  imagePullSecrets: '`image.pullSecrets`',
  config: '`environment`, and APP_MODE of it by `appMode`',
  settings: '`settings`, whose ConfigMap the stack owns',
  secrets: '`secrets` or `secretsFrom`',
  secretsFrom: '`secretsFrom`',
  'migrations.mode': 'the program, since hooks do not run here',
  'migrations.existingSecret': '`secrets` or `secretsFrom`',
  'tests.enabled': 'the program, since hooks do not run here',
  'objectStore.type': '`objectStore.type`',
  'objectStore.existingClaim': '`objectStore`, whose claim the stack owns',
  'ingress.controller': '`ingress.controller`',
  'ingress.publicClassName': '`ingress.classes.public`',
  'ingress.internalClassName': '`ingress.classes.internal`',
  'networkPolicy.enabled': '`networkPolicy.enabled`',
  ...Object.fromEntries(
    apis.flatMap((api) => [
      [`ingress.${api}.host`, `\`ingress.${api}.host\``],
      [`ingress.${api}.className`, `\`ingress.${api}.reach\``],
      [`ingress.${api}.tls`, `\`ingress.${api}.tlsSecret\``],
      [`ingress.${api}.annotations`, `\`ingress.${api}.annotations\``],
    ]),
  ),
  ...Object.fromEntries(
    processes.flatMap((process) => [
      [`${process}.existingSecret`, '`secrets` or `secretsFrom`'],
      [`${process}.replicas`, `\`replicas.${process}\``],
      [`${process}.autoscaling.enabled`, `\`maxReplicas.${process}\``],
      [`${process}.autoscaling.minReplicas`, `\`replicas.${process}\``],
      [`${process}.autoscaling.maxReplicas`, `\`maxReplicas.${process}\``],
    ]),
  ),
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the value at a path, or undefined if there is none. */
const valueAt = (values: unknown, path: string): unknown => {
  let found = values;
  for (const name of path.split('.')) {
    if (!isRecord(found)) return undefined;
    found = found[name];
  }
  return found;
};

const keysDecide: Rule = ({ values }) =>
  Object.entries(governed).flatMap(([path, owner]) =>
    problemIf(
      valueAt(values, path) !== undefined,
      `values.${path}`,
      `is set by ${owner}; leave it out`,
    ),
  );

const budgetsStay: Rule = ({ tier, values }) =>
  processes.flatMap((process) =>
    problemIf(
      tier === 'prod' && valueAt(values, `${process}.podDisruptionBudget.enabled`) === false,
      `values.${process}.podDisruptionBudget.enabled`,
      'must be true or left out in prod, where an upgrade of the nodes must leave a pod',
    ),
  );

/** The rules of the chart's values that a stack sets in addition to its keys. */
export const valuesRules: readonly Rule[] = [keysDecide, budgetsStay];
