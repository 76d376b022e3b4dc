export { createWindowLimit } from './create-window-limit.ts';
export { createRateLimit } from './create-rate-limit.ts';
