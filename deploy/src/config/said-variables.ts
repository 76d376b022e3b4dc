import { z } from 'zod';
import { processes } from '../processes.ts';
import type { StackKeys } from './stack-config.ts';

/** A plain variable, wherever a stack says it. */
export interface SaidVariable {
  /** Path below `digital-gold:`, such as `environment.LOG_LEVEL`. */
  readonly path: string;
  readonly name: string;
  /** Undefined if a Secret or the pod gives the value. */
  readonly value: string | undefined;
}

/** A section of the chart's values with variables. Anything else there the chart's schema refuses. */
const sectionSchema = z.object({
  config: z.record(z.string(), z.unknown()).catch({}),
  extraEnv: z.array(z.object({ name: z.string(), value: z.string().optional() })).catch([]),
});

const ofSection = (section: unknown, path: string): readonly SaidVariable[] => {
  const { config = {}, extraEnv = [] } = sectionSchema.safeParse(section).data ?? {};
  return [
    ...Object.entries(config).map(([name, value]) => ({
      path: `${path}.config.${name}`,
      name,
      value: String(value),
    })),
    ...extraEnv.map(({ name, value }) => ({ path: `${path}.extraEnv.${name}`, name, value })),
  ];
};

/**
 * Lists every plain variable of a stack: those of `environment`, and those that `values` gives to
 * all pods or to one process, which win over them. The rules of a tier hold for each.
 */
export const saidVariables = ({ environment, values }: StackKeys): readonly SaidVariable[] => [
  ...Object.entries(environment).map(([name, value]) => ({
    path: `environment.${name}`,
    name,
    value,
  })),
  ...ofSection({ extraEnv: values['extraEnv'] }, 'values'),
  ...[...processes, 'migrations'].flatMap((name) => ofSection(values[name], `values.${name}`)),
];
