import { z } from 'zod';

/** An object of Kubernetes as a stack made it. */
export type StackObject = Readonly<Record<string, unknown>> & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string };
};

/** An object as the stack wants it, and as the cluster had it after the last deployment. */
export interface Deployed {
  readonly wanted: StackObject;
  readonly made: unknown;
  /** True if an operator changes its content. The stack only ensures that it exists. */
  readonly isOperated: boolean;
}

/** The objects of a stack, and the way to the cluster that they are on. */
export interface StackObjects {
  readonly objects: readonly Deployed[];
  /** The content of a kubeconfig or its path. The machine's own if left out. */
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

const exportSchema = z.object({
  deployment: z.object({
    resources: z
      .array(
        z.object({
          urn: z.string(),
          type: z.string(),
          custom: z.boolean(),
          delete: z.boolean().default(false),
          inputs: z.record(z.string(), z.unknown()).default({}),
          outputs: z.record(z.string(), z.unknown()).default({}),
        }),
      )
      .default([]),
  }),
});

type Resource = z.infer<typeof exportSchema>['deployment']['resources'][number];

const objectSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});
const providerSchema = z.object({
  kubeconfig: z.string().optional(),
  context: z.string().optional(),
});
const secretSchema = z.looseObject({ plaintext: z.string() });

/** The key by which Pulumi marks a value that is more than itself, such as a secret. */
const signature = '4dabf18193072939515e22adb298388d';

/** Keys that Pulumi adds. They are not sent to the cluster. */
const isOfPulumi = (key: string): boolean => key.startsWith('__') || key.startsWith('pulumi.com/');

/** Opens the secrets of an export that shows them, and leaves out what is Pulumi's own. */
const opened = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(opened);
  if (typeof value !== 'object' || value === null) return value;
  if (signature in value) {
    return opened(JSON.parse(secretSchema.parse(value).plaintext));
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !isOfPulumi(key))
      .map(([key, one]) => [key, opened(one)]),
  );
};

/** The switches are an operator's once they are there. */
const isSwitches = ({ urn }: Resource): boolean => urn.endsWith('::settings');

/** Leaves of an object what says which one it is. */
const named = ({ apiVersion, kind, metadata: { name, namespace } }: StackObject): StackObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace },
});

const deployedAs = (resource: Resource): Deployed => {
  const wanted = objectSchema.parse(opened(resource.inputs));
  const isOperated = isSwitches(resource);
  return {
    wanted: isOperated ? named(wanted) : wanted,
    made: opened(resource.outputs),
    isOperated,
  };
};

/**
 * Reads the objects that a stack made out of `pulumi stack export --show-secrets`. A Job is left out:
 * it has run, and may be gone since.
 */
export const stackObjects = (exported: unknown): StackObjects => {
  const { resources } = exportSchema.parse(exported).deployment;
  const own = resources.filter((one) => one.custom && !one.delete);
  const provider = own.find(({ type }) => type === 'pulumi:providers:kubernetes');
  const { kubeconfig, context } = providerSchema.parse(opened(provider?.inputs ?? {}));
  return {
    objects: own
      .filter(({ type }) => type.startsWith('kubernetes:') && !type.endsWith(':Job'))
      .map(deployedAs),
    kubeconfig,
    context,
  };
};
