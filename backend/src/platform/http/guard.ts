import type { Request } from 'express';
import type { Access } from './access.ts';

/**
 * Turns a credential of one API into a principal and decides whether it suffices. `admit` throws an
 * AppError (401, 403) or returns the principal; it is never called for a public route.
 */
export interface Guard {
  admit(req: Request, access: Access<unknown>): Promise<unknown>;
  /** The OpenAPI security scheme of the credential. */
  readonly scheme:
    | { type: 'http'; scheme: 'bearer'; bearerFormat: string }
    | { type: 'apiKey'; in: 'header'; name: string };
  readonly schemeName: string;
}
