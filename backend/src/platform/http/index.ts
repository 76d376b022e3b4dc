export { PUBLIC, requirePermission, requireRoles, signedIn, type Access } from './access.ts';
export { createApi, type ApiOptions } from './create-api.ts';
export type { Guard } from './guard.ts';
export { errorSchema, idParams, offsetOf, pageOf, pageQuery, type Page } from './pagination.ts';
export { openApiDocument } from './openapi.ts';
export { created, noContent, ok, replayed, shared, type Reply } from './reply.ts';
export { currentRequestId, withRequestId } from './request-id.ts';
export { defineIdempotentRoute, defineRoute, type RequestContext, type Route } from './route.ts';
export { validationError } from './validate-input.ts';
