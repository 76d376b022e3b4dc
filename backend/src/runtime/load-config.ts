import {
  ConfigError,
  parseConfig,
  type Config,
  type Environment,
  type VariableTable,
} from '../platform/config/config.ts';
import {
  processVariables,
  type contentionVariables,
  type standbyVariables,
  type tokenVariables,
} from './process.variables.ts';

export type ProcessConfig = Config<typeof processVariables>;

/** The variables that only some processes have. */
export type ProcessKeys = Partial<
  Config<typeof tokenVariables & typeof contentionVariables & typeof standbyVariables>
>;

const crossFieldProblems = (config: ProcessConfig): string[] => {
  const problems: string[] = [];
  if (config.CLOCK_CONTROL && config.APP_MODE === 'production') {
    problems.push('CLOCK_CONTROL: refused in production');
  }
  if (config.CLOCK_CONTROL && config.CLOCK_URL === undefined) {
    problems.push('CLOCK_URL: is needed with CLOCK_CONTROL');
  }
  return problems;
};

/**
 * Refuses a variable that Node reads itself. It would make Node accept any certificate of a store
 * or collaborator.
 */
const uncheckedTlsProblems = ({ APP_MODE: mode }: ProcessConfig, env: Environment): string[] =>
  mode === 'production' && env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0'
    ? ['NODE_TLS_REJECT_UNAUTHORIZED: refused in production']
    : [];

/**
 * Loads the whole configuration of a process, from the variables of every process and `own`.
 * @throws ConfigError naming everything that is wrong
 */
export const loadConfig = <const T extends VariableTable>(
  own: T,
  env: Environment,
): ProcessConfig & Config<T> => {
  const config = { ...parseConfig(processVariables, env), ...parseConfig(own, env) };
  const problems = [...crossFieldProblems(config), ...uncheckedTlsProblems(config, env)];
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return config;
};
