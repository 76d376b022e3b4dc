export { freePort } from '../../src/apps/dev/free-port.ts';
