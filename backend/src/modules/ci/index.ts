export { createDecideDeployments } from './decide-deployments.ts';
export { createCiAdmin } from './create-ci-admin.ts';
