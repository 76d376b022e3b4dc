import { z } from 'zod';
import { stackConfigSchema } from './stack-config.ts';

/** A key of a stack's configuration, as its documentation names it. */
export interface ConfigKey {
  /** The path below `digital-gold:`, such as `image.tag`. */
  readonly path: string;
  readonly doc: string;
  readonly required: boolean;
  /** The default, or undefined if the key has none or is required. */
  readonly defaultText: string | undefined;
  /** The allowed values, if only a few are allowed. */
  readonly allowed: readonly string[];
}

const nodeSchema = z.object({
  description: z.string().optional(),
  default: z.unknown().optional(),
  enum: z.array(z.string()).default([]),
  get properties() {
    return z.record(z.string(), nodeSchema).optional();
  },
  required: z.array(z.string()).default([]),
});
type Node = z.output<typeof nodeSchema>;

const textOf = (value: unknown): string | undefined => {
  if (value === undefined) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const leavesOf = (node: Node, prefix: string): ConfigKey[] =>
  Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    const path = `${prefix}${name}`;
    if (child.properties !== undefined) return leavesOf(child, `${path}.`);
    return [
      {
        path,
        doc: child.description ?? '',
        required: node.required.includes(name),
        defaultText: textOf(child.default),
        allowed: child.enum,
      },
    ];
  });

/** Every key that a stack may set, in the order of the schema. */
export const configKeys: readonly ConfigKey[] = leavesOf(
  nodeSchema.parse(z.toJSONSchema(stackConfigSchema, { io: 'input' })),
  '',
);

/**
 * Returns the allowed names below a path, which is empty for the top. They are for the message of
 * an unknown key.
 */
export const namesBelow = (path: string): readonly string[] => {
  const prefix = path === '' ? '' : `${path}.`;
  const names = configKeys
    .filter((key) => key.path.startsWith(prefix))
    .map((key) => key.path.slice(prefix.length).split('.')[0] ?? '');
  return [...new Set(names)];
};
