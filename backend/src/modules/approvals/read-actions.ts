import { ConfigError } from '../../platform/config/config.ts';
import { listableActions, type ListableAction } from './approvals.types.ts';

/** Reads SECOND_OPERATOR_ACTIONS. @throws ConfigError for one that cannot be listed */
export const readListedActions = (names: readonly string[]): readonly ListableAction[] =>
  names.map((name) => {
    const action = listableActions.find((known) => known === name);
    if (action !== undefined) return action;
    const known = listableActions.join(', ');
    throw new ConfigError(`SECOND_OPERATOR_ACTIONS: ${name} is none of ${known}`);
  });
