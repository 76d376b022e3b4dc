import { apis, processes } from '../processes.ts';
import { problemIf, type Rule } from './problem.ts';
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

const environmentIsPlain: Rule = ({ environment }) =>
  Object.keys(environment).flatMap((name) => {
    const path = `environment.${name}`;
    if (secretNames.includes(name)) {
      return problemIf(true, path, `is a secret; set \`secrets.${name}\` with --secret instead`);
    }
    if (switchNames.some((one) => one === name)) {
      return problemIf(true, path, `is a switch; \`settings.${name}\` gives its first value`);
    }
    if (name === 'APP_MODE') return problemIf(true, path, 'has a key of its own, `appMode`');
    return problemIf(ownedNames.includes(name), path, 'is set by the chart; leave it out');
  });

const contextIsNamed: Rule = ({ tier, kubeContext }) =>
  problemIf(
    tier !== 'dev' && kubeContext === undefined,
    'kubeContext',
    `is missing; ${tier} must name the cluster it means, and only dev may take the current one`,
  );

const testbedIsForDev: Rule = ({ tier, testbed }) =>
  problemIf(tier !== 'dev' && testbed, 'testbed', `must be false in ${tier}; only dev may have it`);

const testbedNeedsAMode: Rule = ({ testbed, appMode }) =>
  problemIf(
    testbed && appMode === 'production',
    'appMode',
    'is production, which refuses the sandbox; a testbed needs development or test',
  );

const testPaymentsAreForOthers: Rule = ({ tier, environment }) =>
  problemIf(
    tier === 'prod' && environment['ALLOW_TEST_PAYMENTS'] === 'true',
    'environment.ALLOW_TEST_PAYMENTS',
    'must not be true in prod, where payments are money',
  );

const tagIsFixed: Rule = ({ tier, image }) =>
  problemIf(
    tier !== 'dev' && image.tag === 'latest',
    'image.tag',
    `must not be \`latest\` in ${tier}; name the tag of one release`,
  );

const objectsAreShared: Rule = ({ tier, objectStore }) =>
  problemIf(
    tier !== 'dev' &&
      objectStore.type === 'filesystem' &&
      objectStore.accessMode !== 'ReadWriteMany',
    'objectStore.accessMode',
    'must be ReadWriteMany, since the pods of the customer API, the admin API and the worker share it',
  );

const s3Names = ['S3_BASE_URL', 'S3_BUCKET', 'S3_ACCESS_KEY_ID'];

const bucketIsNamed: Rule = ({ objectStore, environment, secrets = {} }) => {
  if (objectStore.type !== 's3') return [];
  const text = 'is missing; objectStore.type is s3';
  return [
    ...s3Names.flatMap((name) =>
      problemIf(environment[name] === undefined, `environment.${name}`, text),
    ),
    ...problemIf(
      secrets['S3_SECRET_ACCESS_KEY'] === undefined,
      'secrets.S3_SECRET_ACCESS_KEY',
      text,
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

/** Rules of every tier, and those that only dev is free of. */
export const tierRules: readonly Rule[] = [
  hostsDiffer,
  classesDiffer,
  environmentIsPlain,
  contextIsNamed,
  testbedIsForDev,
  testbedNeedsAMode,
  testPaymentsAreForOthers,
  tagIsFixed,
  objectsAreShared,
  bucketIsNamed,
  growthIsUpwards,
];
