const small = { resources: { requests: { cpu: '50m', memory: '160Mi' } } };

/** Values by which the stacks of a run fit beside each other on the nodes of a test cluster. */
export const smallProcesses = {
  customer: small,
  admin: small,
  accounting: small,
  worker: small,
};
