import { join } from 'node:path';
import type { ClusterStep, DemoContext } from '../cluster.types.ts';
import { splitImage } from '../split-image.ts';
import { findImageTool } from '../tools/find-image-tool.ts';
import { tryTool } from '../tools/run-tool.ts';

/**
 * Returns an image name that is unique to this state of the source, because nodes do not replace an
 * image whose name they already have. The tag is the commit. If there is no commit or the source has
 * uncommitted changes, the tag is the time.
 */
const nameImage = async (repository: string): Promise<string> => {
  const git = (args: readonly string[]) => tryTool('git', args, { cwd: repository });
  const commit = await git(['rev-parse', '--short=12', 'HEAD']);
  const changes = await git(['status', '--porcelain']);
  const isExact = commit.code === 0 && changes.code === 0 && changes.stdout === '';
  const tag = isExact ? commit.stdout.trim() : Date.now().toString(36);
  return `localhost/digital-gold:demo-${tag}`;
};

const seconds = (ms: number): string => `${(ms / 1000).toFixed(0)} s`;

const build = async (context: DemoContext): Promise<readonly string[]> => {
  const { options, repository, kubeContext } = context;
  const tool = await findImageTool(options.clusterTool, kubeContext);
  const image = await nameImage(repository);
  const begun = performance.now();
  await tool.build({
    image,
    dockerfile: join(repository, 'backend', 'Dockerfile'),
    buildArgs: options.nodeImage === undefined ? [] : [`NODE_IMAGE=${options.nodeImage}`],
    context: repository,
  });
  const built = performance.now();
  const storeImages = [options.postgresImage, options.redisImage].filter(
    (name) => name !== undefined,
  );
  // The cluster pulls the images of PostgreSQL and Redis itself, unless a cluster tool loads images.
  const stores = options.clusterTool === undefined ? [] : storeImages;
  for (const name of [image, ...stores]) await tool.load(name);
  context.saveState('image', splitImage(image));
  return [
    `${image} built in ${seconds(built - begun)} (${tool.name}),`,
    `brought to the nodes in ${seconds(performance.now() - built)}`,
  ];
};

/** Builds the service's image and loads it onto every node, or uses the given image. */
export const bringImage: ClusterStep = {
  title: 'The image',
  async run(context) {
    const { image } = context.options;
    if (image !== undefined) {
      context.saveState('image', splitImage(image));
      return [`${image}, as given`];
    }
    return build(context);
  },
};
