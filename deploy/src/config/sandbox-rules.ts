import { isLive, problemIf, type Rule } from './problem.ts';
import { isPublishedSecret } from './variables.ts';

const inProductionMode =
  (rule: Rule): Rule =>
  (config) =>
    isLive(config) ? rule(config) : [];

const variablesAreLive: Rule = ({ environment }) =>
  Object.entries(environment).flatMap(([name, value]) => {
    const path = `environment.${name}`;
    if (name.startsWith('SANDBOX_')) {
      return problemIf(true, path, "is the sandbox's; leave it out in production mode");
    }
    if (isPublishedSecret(value)) {
      return problemIf(true, path, 'is published; production mode needs one of its own');
    }
    return problemIf(
      name.endsWith('_BASE_URL') && !value.startsWith('https://'),
      path,
      'must begin with https:// in production mode',
    );
  });

const gatewaysAreReal: Rule = ({ environment }) =>
  problemIf(
    (environment['PAYMENT_GATEWAYS'] ?? '').split(',').some((one) => one.trim() === 'sandbox'),
    'environment.PAYMENT_GATEWAYS',
    'names the sandbox; production mode accepts only real gateways',
  );

const clockIsReal: Rule = ({ environment }) =>
  problemIf(
    environment['CLOCK_CONTROL'] === 'true',
    'environment.CLOCK_CONTROL',
    'must be false or left out in production mode',
  );

/** Refuses what the processes would refuse in production mode, before anything is changed. */
export const sandboxRules: readonly Rule[] = [variablesAreLive, gatewaysAreReal, clockIsReal].map(
  inProductionMode,
);
