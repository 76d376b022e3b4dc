import { dropReleases, findDigest, releaseTwice } from './releases.ts';
import type { Scenario, ScenarioOptions } from './scenario.types.ts';
import { createStackRun } from './stack-run.ts';
import {
  configureProd,
  configureStaging,
  destroyWhole,
  holdsNoSecret,
  promote,
  refuseInProd,
  upWithHouse,
  type ReleaseStack,
} from './steps-release.ts';

/**
 * Creates the steps of the part `releases`: a stack of staging and one of prod, of releases whose
 * chart is in a registry, in a house that holds the Secrets.
 */
export const createReleaseScenario = async ({
  namespace,
  image,
}: ScenarioOptions): Promise<Scenario> => {
  const repository = image.slice(0, image.lastIndexOf(':'));
  const digest = await findDigest(image);
  if (digest === undefined) {
    throw new Error(`no node knows ${image} by a digest: name it in CLUSTER_DIGEST`);
  }
  dropReleases();
  const registry = await releaseTwice({ repository, digest });
  const { env } = registry;
  const staging = `${namespace}-staging`;
  const live = `${namespace}-live`;
  const stagingRun = await createStackRun(staging, { tier: 'staging', env });
  const liveRun = await createStackRun(live, { tier: 'prod', env, beside: stagingRun });
  const first: ReleaseStack = { run: stagingRun, namespace: staging, image, secrets: {} };
  const second: ReleaseStack = { run: liveRun, namespace: live, image, secrets: {} };
  return {
    steps: [
      { title: 'staging: a release, by a kubeconfig', run: upWithHouse(first, configureStaging) },
      { title: 'staging: the state holds no Secret', run: holdsNoSecret(first) },
      {
        title: "prod: the same release, on the cluster that staging's outputs name",
        run: upWithHouse(second, configureProd(staging)),
      },
      { title: 'prod: the state holds no Secret', run: holdsNoSecret(second) },
      { title: 'prod: its policies refuse what breaks them', run: refuseInProd(second) },
      { title: 'staging: the next release by one line', run: promote(first) },
      { title: 'prod: promoted by the same line', run: promote(second) },
      { title: 'prod: destroyed only when unprotected', run: destroyWhole(second) },
      { title: 'staging: destroyed only when unprotected', run: destroyWhole(first) },
    ],
    close: async () => {
      dropReleases();
      await registry.close();
    },
  };
};
