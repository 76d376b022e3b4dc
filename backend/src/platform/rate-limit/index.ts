export { createRateLimit, type RateLimitOptions } from './create-rate-limit.ts';
