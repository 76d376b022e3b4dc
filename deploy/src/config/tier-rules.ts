import { apis, processes } from '../processes.ts';
import { problemIf, type Rule } from './problem.ts';
import { saidVariables } from './said-variables.ts';
import { ownedNames, secretNames, switchNames } from './variables.ts';

const hostsDiffer: Rule = ({ ingress }) => {
  const hosts = apis.map((api) => ingress[api].host);
  return apis.flatMap((api, index) =>
    problemIf(
      hosts.indexOf(ingress[api].host) < index,
      `ingress.${api}.host`,
      `is also the host of another API, ${ingress[api].host}; each needs its own host`,
    ),
  );
};

const classesDiffer: Rule = ({ ingress: { classes } }) =>
  problemIf(
    classes.public === classes.internal,
    'ingress.classes.internal',
    `is the public class, \`${classes.public}\`; it must be another one`,
  );

const environmentIsPlain: Rule = (config) =>
  saidVariables(config).flatMap(({ path, name, value }) => {
    if (secretNames.includes(name)) {
      return problemIf(
        value !== undefined,
        path,
        `is a secret; set \`secrets.${name}\` with --secret instead`,
      );
    }
    if (switchNames.some((known) => known === name)) {
      return problemIf(true, path, `is a switch; \`settings.${name}\` gives its first value`);
    }
    if (name === 'APP_MODE') return problemIf(true, path, 'has a key of its own, `appMode`');
    return problemIf(ownedNames.includes(name), path, 'is set by the chart; leave it out');
  });

const contextIsNamed: Rule = ({ tier, kubeContext, kubeconfig, references }) =>
  problemIf(
    tier !== 'dev' &&
      kubeContext === undefined &&
      kubeconfig === undefined &&
      references.kubeconfig === undefined,
    'kubeContext',
    `is missing; ${tier} must name the cluster it means, by this, \`kubeconfig\` or ` +
      '`references.kubeconfig`, and only dev may take the current one',
  );

const kubeconfigIsOne: Rule = ({ kubeconfig, references }) =>
  problemIf(
    kubeconfig !== undefined && references.kubeconfig !== undefined,
    'references.kubeconfig',
    'stands beside `kubeconfig`; one of them must go',
  );

const testbedIsForDev: Rule = ({ tier, testbed }) =>
  problemIf(tier !== 'dev' && testbed, 'testbed', `must be false in ${tier}; only dev may have it`);

const testbedNeedsAMode: Rule = ({ testbed, appMode }) =>
  problemIf(
    testbed && appMode === 'production',
    'appMode',
    'is production, which refuses the sandbox; a testbed needs development or test',
  );

const testPaymentsAreForOthers: Rule = (config) =>
  saidVariables(config).flatMap(({ path, name, value }) =>
    problemIf(
      config.tier === 'prod' && name === 'ALLOW_TEST_PAYMENTS' && value === 'true',
      path,
      'must not be true in prod, where payments are money',
    ),
  );

const objectsAreShared: Rule = ({ tier, objectStore }) =>
  problemIf(
    tier !== 'dev' &&
      objectStore.type === 'filesystem' &&
      objectStore.accessMode !== 'ReadWriteMany',
    'objectStore.accessMode',
    'must be ReadWriteMany, since the pods of the customer API, the admin API and the worker share it',
  );

/**
 * Requires the bucket's address and name, and a key's id and secret only together. Without a key,
 * the pods' own identity is used.
 */
const bucketIsNamed: Rule = ({
  objectStore,
  environment,
  secrets = {},
  secretsFrom,
  references,
}) => {
  if (objectStore.type !== 's3') return [];
  const name = 'S3_SECRET_ACCESS_KEY';
  const hasSecret = [secrets, secretsFrom, references.secrets].some((source) => name in source);
  const hasKey = environment['S3_ACCESS_KEY_ID'] !== undefined;
  return [
    ...['S3_BASE_URL', 'S3_BUCKET'].flatMap((variable) =>
      problemIf(
        environment[variable] === undefined,
        `environment.${variable}`,
        'is missing; objectStore.type is s3',
      ),
    ),
    ...problemIf(
      hasKey && !hasSecret,
      `secrets.${name}`,
      'is missing; environment.S3_ACCESS_KEY_ID names its key',
    ),
    ...problemIf(
      hasSecret && !hasKey,
      'environment.S3_ACCESS_KEY_ID',
      `is missing; ${name} is given. Leave both out to use the pods' own identity`,
    ),
  ];
};

const growthIsUpwards: Rule = ({ replicas, maxReplicas }) =>
  processes.flatMap((process) =>
    problemIf(
      (maxReplicas[process] ?? Infinity) <= replicas[process],
      `maxReplicas.${process}`,
      `must be more than replicas.${process}, which is ${replicas[process]}, or left out`,
    ),
  );

/** Rules of every tier, and rules that every tier except dev has. */
export const tierRules: readonly Rule[] = [
  hostsDiffer,
  classesDiffer,
  environmentIsPlain,
  contextIsNamed,
  kubeconfigIsOne,
  testbedIsForDev,
  testbedNeedsAMode,
  testPaymentsAreForOthers,
  objectsAreShared,
  bucketIsNamed,
  growthIsUpwards,
];
