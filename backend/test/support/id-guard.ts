import { AppError } from '../../src/platform/errors/app-error.ts';
import type { Guard } from '../../src/platform/http/index.ts';

/**
 * Takes the token for the id of its customer, or of an operator or portal user who may do
 * everything. The tests of modules behind it move business time by days, and name customers by their
 * ids alone: a token of identity's own guard would have expired, and needs a session and a phone.
 * The APIs that `serve-apis.ts` serves have their own guards.
 */
export const idGuard: Guard = {
  scheme: { type: 'http', scheme: 'bearer', bearerFormat: 'id' },
  schemeName: 'bearer',
  async admit(req) {
    const userId = /^Bearer (.+)$/u.exec(req.get('authorization') ?? '')?.[1];
    if (userId === undefined) throw new AppError('UNAUTHENTICATED');
    const [email, role] = ['operator@example.test', 'SUPER_ADMIN'];
    return { userId, adminId: userId, portalUserId: userId, email, role };
  },
};
