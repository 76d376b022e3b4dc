export { freePort } from '../../dev/stack/free-port.ts';
