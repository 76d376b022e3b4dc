export {
  isConnectFailure,
  createCallGuard,
  CIRCUIT_OPEN,
  isUnavailable,
  NOT_AUTHORISED,
  NOT_SENT,
  RATE_LIMITED,
  TIMED_OUT,
  UNFIT_PATH,
  type ObservedCall,
} from './create-call-guard.ts';
export {
  createHttpClient,
  readAnswer,
  UNREADABLE,
  type HttpClient,
  type HttpClientOptions,
  type HttpRequest,
  type HttpResponse,
} from './create-http-client.ts';
export {
  jsonNumber,
  parseLosslessJson,
  parseSignedJson,
  printLosslessJson,
} from './lossless-json.ts';
export {
  decimalText,
  orLeftOut,
  plainDecimal,
  safeInteger,
  textOrDigits,
} from './lossless-json.ts';
