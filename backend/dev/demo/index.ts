/** The customer's story, for whoever plays it elsewhere: to play it, and the accounts it needs. */
export { developmentAdmins, developmentPortalUsers } from '../stack/development-accounts.ts';
export type { DemoEndpoints } from './read-endpoints.ts';
export { runDemo } from './run-demo.ts';
