import { z } from 'zod';
import { processes } from '../processes.ts';
import type { StackKeys } from './stack-config.ts';

/** A plain variable that a stack sets, in `environment` or in `values`. */
export interface SaidVariable {
  /** The path below `digital-gold:`, such as `environment.LOG_LEVEL`. */
  readonly path: string;
  readonly name: string;
  /** Undefined if a Secret or the pod gives the value. */
  readonly value: string | undefined;
}

/**
 * A section of the chart's values with variables. The chart's schema refuses any other form of it.
 */
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
 * Lists every plain variable of a stack. They are the variables of `environment`, and those that
 * `values` sets for all pods or for one process, which override them. The rules of a tier apply to
 * all of them.
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
