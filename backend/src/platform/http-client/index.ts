export { isConnectFailure } from './connect-failure.ts';
export { createCallGuard } from './create-call-guard.ts';
export { createHttpClient } from './create-http-client.ts';
export type * from './http-client.types.ts';
export { jsonNumber, parseLosslessJson, printLosslessJson } from './lossless-json.ts';
export { safeInteger, textOrDigits } from './lossless-json.ts';
export { readAnswer, UNREADABLE } from './read-answer.ts';
export { CIRCUIT_OPEN, isUnavailable, NOT_SENT, TIMED_OUT } from './transport-refusals.ts';
