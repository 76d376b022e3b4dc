import * as pulumi from '@pulumi/pulumi';
import { z } from 'zod';

/** A resource that a program under test asked for. */
export interface Made {
  readonly type: string;
  readonly name: string;
  /** As they travel: a secret is an object with its mark and its value. */
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** The form of a secret between program and engine. */
export const travellingSecret = z.object({
  '4dabf18193072939515e22adb298388d': z.literal('1b47061264138c4ac30d75fd1eb44270'),
  value: z.unknown(),
});

/** Inputs as JSON. The mocks are configured to leave them untyped. */
const inputsSchema = z.record(z.string(), z.unknown());
const namedSchema = z.object({ metadata: z.object({ name: z.string() }) });

/** Returns the state of a created resource: its inputs, with a name where it has none. */
const stateOf = (name: string, inputs: Record<string, unknown>): Record<string, unknown> => {
  if (namedSchema.safeParse(inputs).success) return { ...inputs, resources: [] };
  const metadata = inputsSchema.safeParse(inputs['metadata']);
  const named = { ...(metadata.success ? metadata.data : {}), name: `${name}-0a1b2c3` };
  return { ...inputs, metadata: named, resources: [] };
};

const outputNames = [
  'kubeconfig',
  'jwtSecret',
  'databaseUrl',
  'migrateDatabaseUrl',
  'redisUrl',
  's3SecretAccessKey',
] as const;

/** The outputs of any other stack: each says whose it is. */
const outputsOf = (stack: string): Record<string, string> =>
  Object.fromEntries(outputNames.map((output) => [output, `${output} of ${stack}`]));

/** Lets programs run without an engine. Every resource they ask for is put into the list. */
export const recordResources = async (): Promise<Made[]> => {
  const made: Made[] = [];
  await pulumi.runtime.setMocks(
    {
      newResource: ({ type, name, inputs }) => {
        const given = inputsSchema.parse(inputs);
        if (type === 'pulumi:pulumi:StackReference') {
          return { id: name, state: { ...given, outputs: outputsOf(name), secretOutputNames: [] } };
        }
        made.push({ type, name, inputs: given });
        return { id: `${name}-id`, state: stateOf(name, given) };
      },
      call: ({ token }) => {
        throw new Error(`nothing may be asked of the provider: ${token}`);
      },
    },
    'digital-gold',
    'test',
  );
  return made;
};

/** Resolves to the value of an output. */
export const valueOf = <T>(output: pulumi.Output<T>): Promise<T> =>
  new Promise((resolve) => {
    output.apply(resolve);
  });
