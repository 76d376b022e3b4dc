import type { Runtime } from '../../runtime/create-runtime.ts';

/** The legal name of a house that does not exist. */
export const sampleEntity = 'Sample Gold House Private Limited';

/** The published facts of a house that does not exist, by section. */
const facts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  entity: {
    legalName: sampleEntity,
    gstin: '29ABCDE1234F1Z5',
    registeredAddress: '12 MG Road, Bengaluru 560001, Karnataka',
    supportEmail: 'support@example.test',
    supportPhone: '+918000000000',
    grievanceOfficer: 'Asha Rao, grievances@example.test, 10:00 to 18:00 on working days',
  },
  provider: {
    name: 'The gold provider of the sandbox',
    purity: '24 karat, 99.99 percent',
    custody: 'The gold of all customers is kept apart in an insured vault, in their names.',
  },
  pricing: {
    buyPrice: "The provider's price of the moment, with the house's margin, before GST.",
    sellPrice: "The provider's price of the moment, less the house's margin.",
    gst: 'GST of 3 percent is added to the value of the gold you buy.',
    lock: 'The price of a quote stands for seven minutes.',
  },
};

const sample = 'A sample text of the development stack, which binds nobody.';

interface SeedPolicy {
  readonly slug: string;
  readonly title: string;
  readonly body: string;
}

const policies: readonly SeedPolicy[] = [
  {
    slug: 'terms',
    title: 'Terms of use',
    body: `You buy and sell gold at the price shown in your quote.
The gold is held for you by the gold provider. Prices change; past prices promise nothing.
A purchase is complete once your payment has arrived and the gold is in your account.
${sample}`,
  },
  {
    slug: 'privacy',
    title: 'Privacy',
    body: `We keep your phone number, your KYC documents and your bank accounts, each encrypted
with a key of your own. We share with the gold provider, the payment gateway and the payout
provider only what a purchase or a sale needs.
When you delete your account, your key is destroyed, and with it all that it encrypted.
${sample}`,
  },
  {
    slug: 'refunds',
    title: 'Refunds and cancellations',
    body: `Gold that is in your account is not refunded: you can sell it at any time.
If your payment arrived and no gold could be bought, it is paid back to where it came from.
Jewellery can be cancelled until it is packed. There is nothing to pay back: you pay on delivery.
${sample}`,
  },
  {
    slug: 'shipping',
    title: 'Delivery of jewellery',
    body: `We deliver to addresses in India, insured and against a signature.
The fee is shown with the total before you order. Larger orders are delivered free of charge.
You pay the carrier in cash when the parcel is handed over.
${sample}`,
  },
  {
    slug: 'grievances',
    title: 'Grievances',
    body: `Write to the grievance officer, or open a ticket of the category GRIEVANCE.
You get a reference at once, and an answer within thirty days.
${sample}`,
  },
];

/** Adds missing published facts and policies. Existing ones stay unchanged. */
export const seedLegal = async ({ database, clock, random }: Runtime): Promise<void> => {
  const { db } = database;
  const now = clock.now();
  const fields = Object.entries(facts).flatMap(([section, values]) =>
    Object.entries(values).map(([key, value]) => ({ section, key, value })),
  );
  await db.legalField.createMany({
    data: fields.map((field) => ({
      ...field,
      verified: true,
      reference: 'development',
      updatedAt: now,
    })),
    skipDuplicates: true,
  });
  await db.policyVersion.createMany({
    data: policies.map((policy) => ({
      ...policy,
      id: random.uuid(),
      version: '1.0',
      verified: true,
      effectiveFrom: now,
      createdAt: now,
    })),
    skipDuplicates: true,
  });
};
