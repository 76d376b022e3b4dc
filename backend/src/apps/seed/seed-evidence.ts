import { evidenceItems, findEvidence, upsertEvidence } from '../../modules/readiness/index.ts';
import type { Runtime } from '../../runtime/create-runtime.ts';

const termsBody = `You buy and sell gold at the price shown in your quote.
The gold is held for you by the gold provider. Prices change; past prices promise nothing.`;

/** Adds the evidence that opens the gates, and the terms that customers accept. */
export const seedEvidence = async (runtime: Runtime): Promise<void> => {
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
