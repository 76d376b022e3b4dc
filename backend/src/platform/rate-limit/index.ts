export { createWindowLimit, type WindowLimit } from './create-window-limit.ts';
export { createRateLimit } from './create-rate-limit.ts';
