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

/** The objects of a stack, and the access to their cluster. */
export interface StackObjects {
  readonly objects: readonly Deployed[];
  /** The content of a kubeconfig or its path. Undefined means the machine's own. */
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

/** The key by which Pulumi marks a special value, such as a secret. */
const signature = '4dabf18193072939515e22adb298388d';

/** Keys that Pulumi adds. They are not sent to the cluster. */
const isOfPulumi = (key: string): boolean => key.startsWith('__') || key.startsWith('pulumi.com/');

/** Returns a value of an export with its secrets in clear, without Pulumi's own keys. */
const openValue = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(openValue);
  if (typeof value !== 'object' || value === null) return value;
  if (signature in value) {
    return openValue(JSON.parse(secretSchema.parse(value).plaintext));
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !isOfPulumi(key))
      .map(([key, inner]) => [key, openValue(inner)]),
  );
};

/** Returns true for the switches, which only an operator changes once they exist. */
const isSwitches = ({ urn }: Resource): boolean => urn.endsWith('::settings');

/** Returns only the fields of an object that identify it. */
const identityOf = ({
  apiVersion,
  kind,
  metadata: { name, namespace },
}: StackObject): StackObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace },
});

const deployedAs = (resource: Resource): Deployed => {
  const wanted = objectSchema.parse(openValue(resource.inputs));
  const isOperated = isSwitches(resource);
  return {
    wanted: isOperated ? identityOf(wanted) : wanted,
    made: openValue(resource.outputs),
    isOperated,
  };
};

/**
 * Reads the objects that a stack made from the output of `pulumi stack export --show-secrets`. Jobs
 * are left out, since a Job that has run may be gone.
 */
export const stackObjects = (exported: unknown): StackObjects => {
  const { resources } = exportSchema.parse(exported).deployment;
  const own = resources.filter((resource) => resource.custom && !resource.delete);
  const provider = own.find(({ type }) => type === 'pulumi:providers:kubernetes');
  const { kubeconfig, context } = providerSchema.parse(openValue(provider?.inputs ?? {}));
  return {
    objects: own
      .filter(({ type }) => type.startsWith('kubernetes:') && !type.endsWith(':Job'))
      .map(deployedAs),
    kubeconfig,
    context,
  };
};
