import {
  developmentAdmins,
  developmentPortalUsers,
} from '../../../dev/stack/development-accounts.ts';
import { adminRoles, createAdmin, findAdminByEmail } from '../../modules/admins/index.ts';
import { createPortalUser, portalRoles } from '../../modules/accounting/index.ts';
import { isAppError } from '../../platform/errors/app-error.ts';
import { createRuntime, type Runtime } from '../../runtime/create-runtime.ts';
import { evidenceItems, findEvidence, upsertEvidence } from '../../modules/readiness/index.ts';
import { ConfigError } from '../../platform/config/config.ts';
import { loadConfig } from '../../runtime/load-config.ts';

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

const termsBody = `You buy and sell gold at the price shown in your quote.
The gold is held for you by the gold provider. Prices change; past prices promise nothing.`;

/** Adds the evidence that opens the gates, and the terms that customers accept. */
const seedEvidence = async (runtime: Runtime): Promise<void> => {
  const { database, clock, random } = runtime;
  const { db } = database;
  const at = clock.now();
  for (const item of evidenceItems) {
    if ((await findEvidence(db, item)) !== undefined) continue;
    await upsertEvidence(db, item, {
      value: 'Development evidence',
      reference: 'development',
      verified: true,
      updatedAt: at,
      updatedBy: null,
    });
  }
  await db.policyVersion.createMany({
    data: [
      {
        id: random.uuid(),
        slug: 'terms',
        version: '1.0',
        title: 'Terms of use',
        body: termsBody,
        verified: true,
        effectiveFrom: at,
        createdAt: at,
      },
    ],
    skipDuplicates: true,
  });
};

interface SeedProduct {
  readonly name: string;
  readonly category: string;
  readonly purityKarat: number;
  readonly weightGrams: string;
  readonly pricingMode: 'FIXED' | 'DYNAMIC';
  readonly makingChargeBps: number;
  readonly pricePaise: bigint;
}

const products: readonly SeedProduct[] = [
  {
    name: 'Gold coin, 1 g',
    category: 'coins',
    purityKarat: 24,
    weightGrams: '1',
    pricingMode: 'DYNAMIC',
    makingChargeBps: 300,
    pricePaise: 1_271_500n,
  },
  {
    name: 'Gold coin, 5 g',
    category: 'coins',
    purityKarat: 24,
    weightGrams: '5',
    pricingMode: 'DYNAMIC',
    makingChargeBps: 250,
    pricePaise: 6_327_000n,
  },
  {
    name: 'Plain band ring',
    category: 'rings',
    purityKarat: 22,
    weightGrams: '3.2',
    pricingMode: 'DYNAMIC',
    makingChargeBps: 1200,
    pricePaise: 4_055_000n,
  },
  {
    name: 'Temple pendant',
    category: 'pendants',
    purityKarat: 22,
    weightGrams: '2.45',
    pricingMode: 'FIXED',
    makingChargeBps: 0,
    pricePaise: 3_499_900n,
  },
];

/** Adds a small catalogue, where there is none. */
const seedCatalogue = async ({ database, clock, random }: Runtime): Promise<void> => {
  if ((await database.db.product.count()) > 0) return;
  const at = clock.now();
  await database.db.product.createMany({
    data: products.map((product) => ({
      ...product,
      id: random.uuid(),
      description: null,
      createdAt: at,
      updatedAt: at,
    })),
  });
};

/** Seeds a new development stack; adds only what is missing. */
const main = async (): Promise<void> => {
  const config = loadConfig({}, process.env);
  if (config.APP_MODE === 'production') {
    throw new ConfigError('APP_MODE: the development seed is refused in production');
  }
  const runtime = await createRuntime('seed', config, process.env);
  try {
    await seedAccounts(runtime);
    await seedEvidence(runtime);
    await seedCatalogue(runtime);
  } finally {
    await runtime.close();
  }
};

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
