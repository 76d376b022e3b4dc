import {
  developmentAdmins,
  developmentPortalUsers,
} from '../../../dev/stack/development-accounts.ts';
import { adminRoles, createAdmin, findAdminByEmail } from '../../modules/admins/index.ts';
import { createPortalUser, portalRoles } from '../../modules/accounting/index.ts';
import { isAppError } from '../../platform/errors/app-error.ts';
import { createObjectStore } from '../../adapters/object-store/create-object-store.ts';
import { adapterDeps, createRuntime, type Runtime } from '../../runtime/create-runtime.ts';
import { evidenceItems, findEvidence, upsertEvidence } from '../../modules/readiness/index.ts';
import { ConfigError } from '../../platform/config/config.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { seedCatalogue } from './seed-catalogue.ts';
import { sampleEntity, seedLegal } from './seed-legal.ts';

const ignoreExisting = async (creation: Promise<unknown>): Promise<void> => {
  await creation.catch((error: unknown) => {
    if (!isAppError(error, 'CONFLICT')) throw error;
  });
};

/** Creates one operator and one portal user of each role, with published passwords. */
const seedAccounts = async (runtime: Runtime): Promise<void> => {
  const { database, clock, random, hasher } = runtime;
  const deps = { db: database.db, clock, random, hasher };
  for (const role of adminRoles) {
    const account = developmentAdmins[role];
    // Hashing is slow, so an existing account is skipped before it.
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

const placeholder = 'Development evidence';

/** Adds the evidence that opens the gates. A placeholder of an earlier seed is replaced. */
const seedEvidence = async (runtime: Runtime): Promise<void> => {
  const { database, clock } = runtime;
  const { db } = database;
  const now = clock.now();
  for (const item of evidenceItems) {
    // The evidence of the legal entity must be the name that customers see.
    const value = item === 'legal_entity' ? sampleEntity : placeholder;
    const known = await findEvidence(db, item);
    if (known !== undefined && (known.value !== placeholder || value === placeholder)) continue;
    await upsertEvidence(db, item, {
      value,
      reference: 'development',
      verified: true,
      updatedAt: now,
      updatedBy: null,
    });
  }
};

/** Seeds a new development stack. It adds only missing rows. */
const main = async (): Promise<void> => {
  const config = loadConfig({}, process.env);
  if (config.APP_MODE === 'production') {
    throw new ConfigError('APP_MODE: the development seed is refused in production');
  }
  const runtime = await createRuntime('seed', config, process.env);
  try {
    await seedAccounts(runtime);
    await seedEvidence(runtime);
    await seedLegal(runtime);
    await seedCatalogue(runtime, createObjectStore(process.env, adapterDeps(runtime)));
  } finally {
    await runtime.close();
  }
};

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
