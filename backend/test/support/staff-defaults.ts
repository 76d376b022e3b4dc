/** The configuration of the accounting API, as it is where nothing is set. */
export const staffDefaults = {
  SECOND_FACTOR_REQUIRED: false,
  SECOND_OPERATOR_ACTIONS: [],
  APPROVAL_HOURS: 72,
};
