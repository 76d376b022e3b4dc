import { z } from 'zod';
import { runTool, tryTool, type ToolOptions, type ToolResult } from './run-tool.ts';

/** kubectl in one context and namespace. */
export interface Kubectl {
  /** Standard output. @throws Error */
  run(args: readonly string[], options?: ToolOptions): Promise<string>;
  attempt(args: readonly string[]): Promise<ToolResult>;
  /** Its JSON output, held to a schema. @throws Error */
  read<S extends z.ZodType>(args: readonly string[], schema: S): Promise<z.output<S>>;
  /** A Secret's value in clear. @throws Error */
  readSecret(name: string, key: string): Promise<string>;
  /** The arguments that every call begins with. */
  readonly base: readonly string[];
}

const secretSchema = z.object({ data: z.record(z.string(), z.string()) });

/** kubectl for the demo's namespace. An undefined `context` is the current one. */
export const createKubectl = (context: string | undefined, namespace: string): Kubectl => {
  const base = [...(context === undefined ? [] : ['--context', context]), '--namespace', namespace];
  const kubectl: Kubectl = {
    base,
    run: (args, options) => runTool('kubectl', [...base, ...args], options),
    attempt: (args) => tryTool('kubectl', [...base, ...args]),
    async read(args, schema) {
      const text = await kubectl.run([...args, '--output', 'json']);
      const parsed = schema.safeParse(JSON.parse(text));
      if (parsed.success) return parsed.data;
      const why = z.prettifyError(parsed.error);
      throw new Error(`kubectl ${args.join(' ')} printed something else: ${why}`);
    },
    async readSecret(name, key) {
      const { data } = await kubectl.read(['get', 'secret', name], secretSchema);
      const value = data[key];
      if (value === undefined) throw new Error(`Secret ${name} has no ${key}`);
      return Buffer.from(value, 'base64').toString('utf8');
    },
  };
  return kubectl;
};
