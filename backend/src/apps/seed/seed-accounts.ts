import { adminRoles, createAdmin, findAdminByEmail } from '../../modules/admins/index.ts';
import { createPortalUser, portalRoles } from '../../modules/accounting/index.ts';
import { isAppError } from '../../platform/errors/app-error.ts';
import {
  developmentAdmins,
  developmentPortalUsers,
} from '../../../dev/stack/development-accounts.ts';
import type { Runtime } from '../../runtime/create-runtime.ts';

const ignoreExisting = async (creation: Promise<unknown>): Promise<void> => {
  await creation.catch((error: unknown) => {
    if (!isAppError(error, 'CONFLICT')) throw error;
  });
};

/** Creates one operator and one portal user of each role, with published passwords. */
export const seedAccounts = async (runtime: Runtime): Promise<void> => {
  const { database, clock, random, hasher } = runtime;
  const deps = { db: database.db, clock, random, hasher };
  for (const role of adminRoles) {
    const account = developmentAdmins[role];
    // Hashing is slow: skip an account that exists before it.
    if ((await findAdminByEmail(database.db, account.email)) !== undefined) continue;
    await ignoreExisting(createAdmin(deps, { ...account, role }));
  }
  const portal = await database.db.portalUser.findMany({ select: { email: true } });
  const known = new Set(portal.map(({ email }) => email));
  for (const role of portalRoles) {
    const account = developmentPortalUsers[role];
    if (known.has(account.email)) continue;
    await ignoreExisting(
      createPortalUser(deps, { ...account, role, name: role.replaceAll('_', ' ') }),
    );
  }
};
