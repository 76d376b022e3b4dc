import { apiVariables } from '../../runtime/process.variables.ts';

/** The accounting API's variables, besides those of every process: no key of the other APIs. */
export const accountingVariables = { ...apiVariables };
