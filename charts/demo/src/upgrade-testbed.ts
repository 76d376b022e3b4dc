import type { DemoContext } from './cluster.types.ts';
import { testbed } from './release.ts';

/**
 * Installs the testbed, with the seed's Job or without, and waits until all of it is ready and the
 * Job is done.
 * @throws Error with helm's words
 */
export const upgradeTestbed = async (context: DemoContext, isSeeded: boolean): Promise<void> => {
  const { postgresImage, redisImage } = context.options;
  const { repository, tag } = context.readState('image');
  const strings = [
    'purpose=test',
    `image.repository=${repository}`,
    `image.tag=${tag}`,
    ...(postgresImage === undefined ? [] : [`postgres.image=${postgresImage}`]),
    ...(redisImage === undefined ? [] : [`redis.image=${redisImage}`]),
  ];
  await context.helm([
    'upgrade',
    '--install',
    testbed,
    'charts/digital-gold-testbed',
    ...strings.map((string) => `--set-string=${string}`),
    `--set=seed.enabled=${isSeeded}`,
    '--wait',
    '--wait-for-jobs',
    '--timeout=10m',
  ]);
};
