import { runTool, tryTool } from './run-tool.ts';

interface BuildRequest {
  readonly image: string;
  readonly dockerfile: string;
  readonly buildArgs: readonly string[];
  readonly context: string;
}

/** Builds images and brings them to the cluster's nodes. */
export interface ImageTool {
  readonly name: string;
  build(request: BuildRequest): Promise<void>;
  load(image: string): Promise<void>;
}

const buildArguments = ({ image, dockerfile, buildArgs, context }: BuildRequest): string[] => [
  'build',
  '-t',
  image,
  '-f',
  dockerfile,
  ...buildArgs.flatMap((argument) => ['--build-arg', argument]),
  context,
];

const createTool = (
  name: string,
  builder: string,
  loadCommand: (image: string) => readonly [string, ...string[]],
): ImageTool => ({
  name,
  async build(request) {
    await runTool(builder, buildArguments(request));
  },
  async load(image) {
    const [command, ...args] = loadCommand(image);
    await runTool(command, args);
  },
});

const isThere = async (command: string): Promise<boolean> =>
  (await tryTool(command, ['version'])).code === 0;

/**
 * Finds the way to load an image into the cluster: the given program, else docker with the tool
 * that made the cluster, as the kube context's name shows.
 * @throws Error that says what is missing
 */
export const findImageTool = async (
  given: string | undefined,
  kubeContext: string,
): Promise<ImageTool> => {
  if (given !== undefined) return createTool(given, given, (image) => [given, 'load', image]);
  const kind = /^kind-(.+)$/u.exec(kubeContext)?.[1];
  if (kind !== undefined && (await isThere('docker')) && (await isThere('kind'))) {
    const load = ['load', 'docker-image', '--name', kind];
    return createTool('docker and kind', 'docker', (image) => ['kind', ...load, image]);
  }
  if (kubeContext === 'minikube' && (await isThere('docker')) && (await isThere('minikube'))) {
    return createTool('docker and minikube', 'docker', (image) => [
      'minikube',
      'image',
      'load',
      image,
    ]);
  }
  throw new Error(
    `there is no known way to bring an image to ${kubeContext}: set IMAGE to one that the cluster` +
      ' can pull, or CLUSTER_TOOL to a program with `build` and `load`',
  );
};
