import { createHash } from 'node:crypto';
import type { GoldProvider } from '../../src/adapters/gold-provider/port.ts';
import {
  createPortalUser,
  type Permission,
  type PortalRole,
} from '../../src/modules/accounting/index.ts';
import { insertPortalSession } from '../../src/modules/accounting/portal-users.store.ts';
import { createAdmin, type AdminRole } from '../../src/modules/admins/index.ts';
import { insertHolding } from '../../src/modules/holdings/index.ts';
import { createUser } from '../../src/modules/identity/create-user.ts';
import { createNotify } from '../../src/modules/notifications/index.ts';
import { openSession, signAccessToken } from '../../src/modules/identity/sessions.ts';
import { updateProviderUserId } from '../../src/modules/identity/users.store.ts';
import { sealSubmission } from '../../src/modules/kyc/kyc-sealing.ts';
import {
  insertDocument,
  lockOrInsertKyc,
  requireKyc,
  markReviewed,
  markSubmitted,
} from '../../src/modules/kyc/kyc.store.ts';
import { hasVerhoeffCheckDigit } from '../../src/modules/kyc/verhoeff.ts';
import type { TokenSigner } from '../../src/platform/auth/jwt.ts';
import { addSeconds, type Clock } from '../../src/platform/clock/clock.ts';
import {
  hashToken,
  type BlindIndex,
  type SecretHasher,
  type Vault,
} from '../../src/platform/crypto/index.ts';
import type { Db, InTransaction } from '../../src/platform/db/index.ts';
import type { Random } from '../../src/platform/ids/random.ts';

interface FactoryDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly tokens: TokenSigner;
  readonly vault: Vault;
  readonly blindIndex: BlindIndex;
  readonly hasher: SecretHasher;
  /** Approved customers are registered there. Without one they get a made-up id. */
  readonly provider?: Pick<GoldProvider, 'register'>;
}

export interface MadeCustomer {
  readonly userId: string;
  readonly phone: string;
  readonly deviceId: string;
  readonly sessionId: string;
  /** An access token of the customer API, good for 15 minutes of business time. */
  readonly token: string;
}

export interface MadeAdmin {
  readonly adminId: string;
  readonly email: string;
  readonly password: string;
  readonly role: AdminRole;
  /** A token of the admin API, good for 8 hours of business time. */
  readonly token: string;
}

export interface MadePortalUser {
  readonly portalUserId: string;
  readonly email: string;
  readonly password: string;
  readonly role: PortalRole;
  /** For `x-portal-token`, good for 8 hours of business time. */
  readonly token: string;
}

const shiftSeconds = 8 * 60 * 60;
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** The phone numbers given out so far: of some hundred drawn at random, two may be the same. */
const givenOut = new Set<string>();

/** Numbers that pass their own checks and belong to nobody else in the test. */
export const createNumbers = (random: Random) => ({
  phone: (): string => {
    for (;;) {
      // Not one of those of whom the sandbox says no more than it must.
      const phone = `+919${random.digits(7)}${String(56 + random.int(44))}`;
      if (givenOut.has(phone)) continue;
      givenOut.add(phone);
      return phone;
    }
  },
  pan: (): string => {
    const letter = (): string => letters.charAt(random.int(letters.length));
    // The fourth letter of a person's PAN is P.
    return `${letter()}${letter()}${letter()}P${letter()}${random.digits(4)}${letter()}`;
  },
  aadhaar: (): string => {
    const eleven = `${2 + random.int(8)}${random.digits(10)}`;
    const check = Array.from('0123456789').find((digit) => hasVerhoeffCheckDigit(eleven + digit));
    return `${eleven}${check ?? ''}`;
  },
});

/** Makes people as the modules' own stores would, without the way through the APIs. */
export const createFactories = (deps: FactoryDeps) => {
  const { db, inTransaction, clock, random, tokens, vault, blindIndex, hasher, provider } = deps;
  const numbers = createNumbers(random);
  const notify = createNotify({ clock, random });

  /** A signed-in customer who has given nothing but a phone number. */
  const customer = async (given: { phone?: string } = {}): Promise<MadeCustomer> => {
    const { phone = numbers.phone() } = given;
    return inTransaction(async (tx) => {
      const onUserCreated = insertHolding;
      const user = await createUser({ clock, random, vault, blindIndex, onUserCreated }, tx, phone);
      const { session } = await openSession(
        { clock, random, notify, signInRules: { sessionsPerCustomer: 20 } },
        tx,
        user.id,
        { ip: '127.0.0.1' },
      );
      const token = signAccessToken({ tokens }, session, phone);
      const { id: sessionId, deviceId } = session;
      return { userId: user.id, phone, deviceId, sessionId, token };
    });
  };

  const putDocument = async (tx: Db, userId: string): Promise<string> => {
    const id = random.uuid();
    const key = `kyc/${userId}/${id}`;
    const sha256 = createHash('sha256').update(id).digest('hex');
    const head = { contentType: 'image/png', sizeBytes: 8, sha256, createdAt: clock.now() };
    await insertDocument(tx, { id, userId, key, kind: 'PAN', ...head });
    return key;
  };

  /** Puts a customer's KYC before the reviewers. Returns the record's id. */
  const submitKyc = async (userId: string, given: { fullName?: string } = {}): Promise<string> =>
    inTransaction(async (tx) => {
      const { id, status: from } = await lockOrInsertKyc(tx, random.uuid(), userId, clock.now());
      const submission = {
        pan: numbers.pan(),
        aadhaar: numbers.aadhaar(),
        pincode: '560001',
        documentKey: await putDocument(tx, userId),
        fullName: given.fullName ?? 'Asha Rao',
      };
      const sealer = await vault.forUser(tx, userId);
      const fields = sealSubmission(submission, id, { sealer, blindIndex });
      const count = await markSubmitted(tx, { id, from }, fields, clock.now());
      if (count !== 1) throw new Error('KYC is elsewhere');
      return id;
    });

  const providerUserIdOf = async (phone: string, name: string): Promise<string> => {
    if (provider === undefined) return random.digits(12);
    const outcome = await provider.register({ phone, name, pincode: '560001' });
    if (outcome.kind !== 'done') throw new Error(`not registered: ${JSON.stringify(outcome)}`);
    return outcome.value.providerUserId;
  };

  const admin = async (
    role: AdminRole = 'SUPER_ADMIN',
    given: { email?: string; password?: string } = {},
  ): Promise<MadeAdmin> => {
    const { email = `admin-${random.digits(9)}@example.test`, password = 'correct horse' } = given;
    const { id } = await createAdmin({ db, clock, random, hasher }, { email, password, role });
    const token = tokens.sign({ sub: id, email, role }, shiftSeconds);
    return { adminId: id, email, password, role, token };
  };

  let reviewer: Promise<MadeAdmin> | undefined;

  /** A signed-in customer whose KYC is approved and whom the gold provider knows. */
  const approvedCustomer = async (
    given: { phone?: string; fullName?: string } = {},
  ): Promise<MadeCustomer & { readonly providerUserId: string }> => {
    const { fullName = 'Asha Rao' } = given;
    const made = await customer(given);
    const recordId = await submitKyc(made.userId, { fullName });
    const providerUserId = await providerUserIdOf(made.phone, fullName);
    reviewer ??= admin('ADMIN');
    const review = { adminId: (await reviewer).adminId, now: clock.now(), reasonSealed: null };
    await inTransaction(async (tx) => {
      await markReviewed(tx, await requireKyc(tx, recordId), 'APPROVED', review);
      await updateProviderUserId(tx, made.userId, providerUserId, clock.now());
    });
    return { ...made, providerUserId };
  };

  const portalUser = async (
    role: PortalRole = 'super_admin',
    given: { email?: string; password?: string; permissions?: readonly Permission[] } = {},
  ): Promise<MadePortalUser> => {
    const { email = `staff-${random.digits(9)}@example.test`, password = 'correct horse' } = given;
    const { id } = await createPortalUser(
      { db, clock, random, hasher },
      {
        email,
        password,
        role,
        name: 'Staff',
        ...(given.permissions !== undefined && { permissions: given.permissions }),
      },
    );
    const token = random.bytes(32).toString('base64url');
    await insertPortalSession(db, {
      id: random.uuid(),
      portalUserId: id,
      tokenHash: hashToken(token),
      createdAt: clock.now(),
      expiresAt: addSeconds(clock.now(), shiftSeconds),
    });
    return { portalUserId: id, email, password, role, token };
  };

  return { numbers, customer, submitKyc, approvedCustomer, admin, portalUser };
};

export type Factories = ReturnType<typeof createFactories>;
