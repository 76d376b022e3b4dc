export {
  isConnectFailure,
  createCallGuard,
  type ObservedCall,
  CIRCUIT_OPEN,
  isUnavailable,
  NOT_SENT,
  TIMED_OUT,
} from './create-call-guard.ts';
export {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
  type HttpRequest,
  type HttpResponse,
  readAnswer,
  UNREADABLE,
} from './create-http-client.ts';
export { jsonNumber, parseLosslessJson, printLosslessJson } from './lossless-json.ts';
export { safeInteger, textOrDigits } from './lossless-json.ts';
