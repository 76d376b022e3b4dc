import { mkdirSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { startRegistry, type Registry } from './registry.ts';
import { mustRun } from './run-command.ts';
import { deployFolder, homeFolder } from './stack-run.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** The two releases of the run. Their files are taken away at its end. */
export const testReleases = ['0.0.1-pulumi-test.1', '0.0.1-pulumi-test.2'] as const;

/** Takes the files of the releases away. */
export const dropReleases = (): void => {
  for (const version of testReleases) {
    rmSync(`${deployFolder}/releases/${version}.yaml`, { force: true });
  }
};

/**
 * Releases twice as the release workflow does: the chart into a registry, and a file for each.
 * @param image Name and digest of an image that the nodes have.
 */
export const releaseTwice = async (image: {
  readonly repository: string;
  readonly digest: string;
}): Promise<Registry> => {
  mkdirSync(homeFolder, { recursive: true });
  const registry = await startRegistry(homeFolder);
  const env = {
    ...process.env,
    ...registry.env,
    IMAGE_REPOSITORY: image.repository,
    SOURCE_URL: 'https://source.example/digital-gold',
  };
  for (const version of testReleases) {
    await mustRun('.ci/chart.sh', ['push', version, registry.url], { cwd: repository, env });
    await mustRun(
      'npm',
      [
        'run',
        '--silent',
        'write:release',
        '--',
        version,
        '--image',
        image.repository,
        '--digest',
        image.digest,
        '--chart',
        `${registry.url}/digital-gold`,
      ],
      { cwd: deployFolder },
    );
  }
  return registry;
};

const nodesSchema = z.object({
  items: z.array(
    z.object({
      status: z.object({ images: z.array(z.object({ names: z.array(z.string()) })).default([]) }),
    }),
  ),
});

const digestAtNodes = async (image: string): Promise<string | undefined> => {
  const { items } = nodesSchema.parse(
    JSON.parse(await mustRun('kubectl', ['get', 'nodes', '-o', 'json'])),
  );
  const names = items
    .flatMap(({ status }) => status.images)
    .find((one) => one.names.includes(image))?.names;
  return names?.find((name) => name.includes('@'))?.split('@')[1];
};

/**
 * Returns the digest by which the nodes have an image: that of `CLUSTER_DIGEST`, or one that a node
 * names beside the image's tag. A node tells of a new image within a minute. Undefined where no node
 * knows one.
 */
export const findDigest = async (image: string): Promise<string | undefined> => {
  const given = process.env['CLUSTER_DIGEST'];
  if (given !== undefined && given !== '') return given;
  for (let second = 0; second < 90; second += 3) {
    const found = await digestAtNodes(image);
    if (found !== undefined) return found;
    await delay(3000);
  }
  return undefined;
};
