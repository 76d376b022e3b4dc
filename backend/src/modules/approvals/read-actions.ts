import { ConfigError } from '../../platform/config/config.ts';
import { listableActions, type ListableAction } from './approvals.types.ts';

/** Reads SECOND_OPERATOR_ACTIONS. @throws ConfigError for an unknown action */
export const readListedActions = (names: readonly string[]): readonly ListableAction[] =>
  names.map((name) => {
    const action = listableActions.find((listable) => listable === name);
    if (action !== undefined) return action;
    const choices = listableActions.join(', ');
    throw new ConfigError(`SECOND_OPERATOR_ACTIONS: ${name} is not one of ${choices}`);
  });
