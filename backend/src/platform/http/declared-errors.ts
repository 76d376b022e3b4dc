import type { ErrorCode } from '../../errors/error-table.ts';
import type { Route } from './route.ts';

const codesWhen = (isSo: boolean, ...codes: readonly ErrorCode[]): readonly ErrorCode[] =>
  isSo ? codes : [];

/** Returns the code of every error that a route may answer: its own, and what its form brings. */
export const declaredErrors = (route: Route): ReadonlySet<ErrorCode> => {
  const { access, params, query, body } = route;
  return new Set<ErrorCode>([
    'INTERNAL',
    ...codesWhen(route.rateLimit !== 'exempt', 'RATE_LIMITED'),
    ...codesWhen(access.kind !== 'public', 'UNAUTHENTICATED'),
    ...codesWhen(access.kind === 'roles', 'FORBIDDEN'),
    ...codesWhen(access.kind === 'permission', 'PERMISSION_DENIED'),
    ...codesWhen(access.write === true, 'READ_ONLY_MODE'),
    ...codesWhen(params !== undefined, 'NOT_FOUND'),
    ...codesWhen(query !== undefined || body !== undefined, 'VALIDATION_FAILED'),
    ...codesWhen(body !== undefined, 'MALFORMED_JSON', 'PAYLOAD_TOO_LARGE'),
    ...codesWhen(body !== undefined, 'UNSUPPORTED_MEDIA_TYPE'),
    ...codesWhen(route.rawBody === true, 'PAYLOAD_TOO_LARGE'),
    ...(route.errors ?? []),
  ]);
};
