/** The default configuration of the accounting API. */
export const staffDefaults = {
  SECOND_FACTOR_REQUIRED: false,
  SECOND_OPERATOR_ACTIONS: [],
  APPROVAL_HOURS: 72,
};
