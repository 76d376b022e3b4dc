import { demoDocuments } from '../../../dev/demo/demo-documents.ts';
import { makeUpNumbers } from '../../../dev/demo/demo-numbers.ts';
import type { Random } from '../../../src/platform/ids/random.ts';
import { createDecisions } from '../seeded-random.ts';
import type { Customer, World } from '../model/world.ts';
import { allow, busy, hasFaults, numberOf, textOf, type Command, type Story } from '../story.ts';

/** The maximum number of customers. With more, each customer would act less often. */
const maxCustomers = 6;

/** Returns the numbers of a person, which depend only on their index. */
const numbersOf = (person: number) => {
  const decisions = createDecisions(7919 * (person + 1));
  const random = {
    int: (below: number) => decisions.int(below),
    digits: (count: number) => Array.from({ length: count }, () => decisions.int(10)).join(''),
  };
  const numbers = makeUpNumbers(random as unknown as Random);
  // The last digits are not among those for which the sandbox returns fewer fields.
  return { ...numbers, phone: `${numbers.phone.slice(0, -2)}7${person % 10}` };
};

export const customerOf = (world: World, given: Parameters<typeof numberOf>[0]) =>
  world.customers[numberOf(given, 'c')];

/** Chooses a customer of the story who is not deleted. */
export const chooseCustomer = (
  { world }: Story,
  pick: <T>(items: readonly T[]) => T | undefined,
  isFit: (customer: Customer) => boolean = () => true,
): number | undefined =>
  pick(
    world.customers.flatMap((customer, index) =>
      !customer.deleted && isFit(customer) ? [index] : [],
    ),
  );

/** A new customer signs up and submits the documents, and an operator may approve them. */
export const signUp: Command = {
  name: 'sign-up',
  choose: ({ world }, { percent }) =>
    world.customers.filter(({ deleted }) => !deleted).length < maxCustomers && !hasFaults(world)
      ? { c: world.customers.length, approve: percent(90) }
      : undefined,
  prepare({ sessions, world }, given) {
    const index = numberOf(given, 'c');
    if (index !== world.customers.length) return undefined;
    const { phone, pan, aadhaar } = numbersOf(index);
    let userId = '';
    let kycId: string | undefined;
    let referralCode = '';
    return {
      async call() {
        const signedIn = await sessions.signIn(phone);
        if (signedIn.status !== 200) return signedIn;
        userId = signedIn.body.user.id;
        const own = await sessions.customer(phone, 'GET', '/v1/referrals/me');
        referralCode = String(own.body.code);
        const keys: Record<string, string> = {};
        for (const document of demoDocuments) {
          const uploaded = await sessions.customer(phone, 'POST', '/v1/kyc/documents', document);
          if (uploaded.status !== 201) return uploaded;
          keys[document.kind] = uploaded.body.documentKey;
        }
        const papers = { documentKey: keys['PAN'], selfieKey: keys['SELFIE'] };
        const submitted = await sessions.customer(phone, 'POST', '/v1/kyc/submit', {
          pan,
          aadhaar,
          pincode: '560001',
          fullName: 'Asha Rao',
          ...papers,
        });
        if (submitted.status !== 200) return submitted;
        const { body } = await sessions.operator('ADMIN', 'GET', '/v1/kyc?limit=100');
        kycId = body.items.find((item: { userId: string }) => item.userId === userId)?.id;
        if (given['approve'] !== true) return submitted;
        return sessions.operator('ADMIN', 'POST', `/v1/kyc/${kycId}/approve`);
      },
      judge(changed, answer) {
        allow('sign-up', answer, ['200']);
        changed.customers.push({
          phone,
          userId,
          referralCode,
          kyc: given['approve'] === true ? 'APPROVED' : 'SUBMITTED',
          kycId,
          blocked: false,
          deleted: false,
          accounts: [],
          balance: 0,
          reserved: 0,
        });
      },
    };
  },
};

/** An operator decides on a customer's documents, or requires a new KYC. */
export const reviewKyc: Command = {
  name: 'review-kyc',
  choose(story, { pick, percent }) {
    const waiting = chooseCustomer(story, pick, ({ kyc }) => kyc === 'SUBMITTED');
    const c = waiting ?? chooseCustomer(story, pick);
    if (c === undefined || (waiting === undefined && !percent(25))) return undefined;
    const verdicts =
      waiting === undefined ? ['approve', 'force'] : ['approve', 'approve', 'reject'];
    return { c, decision: pick(verdicts) ?? 'approve' };
  },
  prepare({ sessions, world }, given) {
    const customer = customerOf(world, given);
    if (customer?.kycId === undefined) return undefined;
    const decision = textOf(given, 'decision');
    const reason = { reason: 'as the story says' };
    return {
      call: () =>
        decision === 'force'
          ? sessions.operator(
              'ADMIN',
              'PATCH',
              `/v1/users/${customer.userId}/force-kyc-reverify`,
              reason,
            )
          : sessions.operator(
              'ADMIN',
              'POST',
              `/v1/kyc/${customer.kycId}/${decision}`,
              decision === 'reject' ? reason : undefined,
            ),
      judge(changed, answer) {
        const own = customerOf(changed, given);
        if (own === undefined) return;
        const fits =
          !own.deleted && (decision === 'force' ? own.kyc !== 'PENDING' : own.kyc === 'SUBMITTED');
        const unsure = decision === 'approve' && hasFaults(changed);
        allow(`${decision} of KYC`, answer, [
          ...(fits ? ['200'] : ['409 ILLEGAL_TRANSITION']),
          ...(unsure ? ['502 PROVIDER_UNAVAILABLE', '502 PROVIDER_REFUSED'] : []),
          ...(own.deleted ? ['404 NOT_FOUND'] : []),
        ]);
        if (answer.status !== 200) return;
        own.kyc = ({ approve: 'APPROVED', reject: 'REJECTED', force: 'PENDING' } as const)[
          decision as 'approve'
        ];
      },
    };
  },
};

const isOpen = ({ kyc, blocked }: Customer): boolean => kyc !== 'APPROVED' && !blocked;

/** A customer submits the documents again. */
export const submitKyc: Command = {
  name: 'submit-kyc',
  choose(story, { pick }) {
    const c = chooseCustomer(story, pick, isOpen);
    return c === undefined ? undefined : { c };
  },
  prepare({ sessions, world }, given) {
    const customer = customerOf(world, given);
    if (customer === undefined || customer.deleted || customer.blocked) return undefined;
    const { phone, pan, aadhaar } = numbersOf(numberOf(given, 'c'));
    return {
      async call() {
        const uploaded = await sessions.customer(
          phone,
          'POST',
          '/v1/kyc/documents',
          demoDocuments[0],
        );
        if (uploaded.status !== 201) return uploaded;
        const documentKey = uploaded.body.documentKey;
        const body = { pan, aadhaar, pincode: '560001', fullName: 'Asha Rao', documentKey };
        return sessions.customer(phone, 'POST', '/v1/kyc/submit', body);
      },
      judge(changed, answer) {
        const own = customerOf(changed, given);
        if (own === undefined) return;
        const fits = own.kyc === 'PENDING' || own.kyc === 'REJECTED';
        // A customer can upload at most forty documents.
        allow('submit KYC', answer, [fits ? '200' : '409 KYC_STATE', '400 LIMIT_EXCEEDED']);
        if (answer.status === 200) own.kyc = 'SUBMITTED';
      },
    };
  },
};

/** An operator blocks a customer, or ends the block. */
export const block: Command = {
  name: 'block',
  choose(story, { pick, percent }) {
    const out = chooseCustomer(story, pick, ({ blocked }) => blocked);
    if (out !== undefined && percent(85)) return { c: out, blocked: false };
    const c = chooseCustomer(story, pick);
    if (c === undefined || !percent(15)) return undefined;
    return { c, blocked: story.world.customers[c]?.blocked !== true };
  },
  prepare({ sessions, world }, given) {
    const customer = customerOf(world, given);
    if (customer === undefined) return undefined;
    const blocked = given['blocked'] === true;
    const body = { blocked, reason: 'as the story says' };
    return {
      call: () => sessions.operator('ADMIN', 'PATCH', `/v1/users/${customer.userId}/block`, body),
      judge(changed, answer) {
        const own = customerOf(changed, given);
        if (own === undefined) return;
        const fits = own.blocked !== blocked && !own.deleted;
        allow('block', answer, [fits ? '200' : '409 ILLEGAL_TRANSITION', ...busy]);
        if (answer.status !== 200) return;
        own.blocked = blocked;
        sessions.reopen(own.phone);
      },
    };
  },
};
