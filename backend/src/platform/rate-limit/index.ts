export { createRateLimit } from './create-rate-limit.ts';
