export { createCiAdmin } from './create-ci-admin.ts';
