export {
  PUBLIC,
  requirePermission,
  requireRoles,
  signedIn,
  type Access,
  type Guard,
} from './access.ts';
export {
  addressGroup,
  clientAddress,
  currentCustomer,
  currentRequestId,
  noteCustomer,
} from './request-scope.ts';
export { createApi } from './create-api.ts';
export type { BodyOptions, RefusalLimit } from './api-bodies.ts';
export { isUtf8Type, readJsonBytes } from './json-body.ts';
export {
  betweenQuery,
  exampleOf,
  idInput,
  idParams,
  istDay,
  istMonth,
  moment,
  offsetOf,
  pageOf,
  pageQuery,
  rangeQuery,
  wholeNumber,
  type Between,
  type ListRange,
  type Page,
} from './schema-parts.ts';
export { namesTag } from './entity-tag.ts';
export { readBase64 } from './base64.ts';
export {
  canonicalEmail,
  emailText,
  opaqueText,
  plainLine,
  plainName,
  plainText,
  withSingleBlanks,
} from './text-parts.ts';
export { openApiDocument } from './openapi.ts';
export {
  created,
  noContent,
  ok,
  replayed,
  shared,
  writtenOut,
  type Reply,
  type ReplySink,
} from './reply.ts';
export {
  defineIdempotentRoute,
  defineRoute,
  type RawInput,
  type RequestContext,
  type Route,
} from './route.ts';
export { fixedHeaders } from './security-headers.ts';
export { validationError } from './validate-input.ts';
