import type { Request } from 'express';

interface MatchedRoute {
  readonly path: string;
}

const isMatchedRoute = (route: unknown): route is MatchedRoute =>
  typeof route === 'object' && route !== null && 'path' in route && typeof route.path === 'string';

/**
 * The declared path of the route that took the request, as `/v1/gold/orders/:id`, or `unmatched`:
 * never the address itself, which holds ids and would make a label of each. `prefix` is where the
 * API is mounted; Express has forgotten it by the time an error is answered.
 */
export const routeTemplate = (req: Request, prefix = ''): string => {
  const route: unknown = req.route;
  if (!isMatchedRoute(route)) return 'unmatched';
  if (req.baseUrl !== '') return `${req.baseUrl}${route.path}`;
  const isUnderPrefix = prefix !== '' && req.originalUrl.startsWith(`${prefix}/`);
  return isUnderPrefix && !route.path.startsWith(prefix) ? `${prefix}${route.path}` : route.path;
};
