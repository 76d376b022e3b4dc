import { isLive, problemIf, type Rule } from './problem.ts';
import { saidVariables } from './said-variables.ts';
import { isPublishedSecret } from './variables.ts';

const inProductionMode =
  (rule: Rule): Rule =>
  (config) =>
    isLive(config) ? rule(config) : [];

const variablesAreLive: Rule = (config) =>
  saidVariables(config).flatMap(({ path, name, value }) => {
    if (name.startsWith('SANDBOX_')) {
      return problemIf(true, path, "is the sandbox's; leave it out in production mode");
    }
    if (value === undefined) return [];
    if (isPublishedSecret(value)) {
      return problemIf(true, path, 'is published; production mode needs one of its own');
    }
    return problemIf(
      name.endsWith('_BASE_URL') && !value.startsWith('https://'),
      path,
      'must begin with https:// in production mode',
    );
  });

const gatewaysAreReal: Rule = (config) =>
  saidVariables(config).flatMap(({ path, name, value = '' }) =>
    problemIf(
      name === 'PAYMENT_GATEWAYS' &&
        value.split(',').some((gateway) => gateway.trim() === 'sandbox'),
      path,
      'names the sandbox; production mode accepts only real gateways',
    ),
  );

const clockIsReal: Rule = (config) =>
  saidVariables(config).flatMap(({ path, name, value }) =>
    problemIf(
      name === 'CLOCK_CONTROL' && value === 'true',
      path,
      'must be false or left out in production mode',
    ),
  );

/**
 * Refuses variables that the processes would refuse in production mode, before anything is changed.
 */
export const sandboxRules: readonly Rule[] = [variablesAreLive, gatewaysAreReal, clockIsReal].map(
  inProductionMode,
);
