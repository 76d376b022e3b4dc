import { afterAll, beforeAll, expect, it } from 'vitest';
import { runOperatorCommand } from '../../src/apps/operator/run-command.ts';
import { createKeyringRotation } from '../../src/apps/worker/create-key-sweeps.ts';
import { createAuditor } from '../../src/modules/audit/index.ts';
import { openTicket } from '../../src/modules/support/open-ticket.ts';
import { openBody } from '../../src/modules/webhook-inbox/index.ts';
import { sealBody } from '../../src/modules/webhook-inbox/webhook-inbox.store.ts';
import { createVault, parseKeyring, type Vault } from '../../src/platform/crypto/index.ts';
import { createRandom } from '../../src/platform/ids/random.ts';
import { createFactories } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';

const random = createRandom();
const context = { purpose: 'test', column: 'test.column', row: '1' };
const makeKey = (id: string): string => `${id}:${random.bytes(32).toString('base64')}`;
const [oldKey, newKey] = [makeKey('k1'), makeKey('k2')];
const vaultOf = (...keys: readonly string[]): Vault =>
  createVault({ keyring: parseKeyring(keys.join(',')) });

let system: TestSystem;
beforeAll(async () => {
  system = await openTestSystem();
});
afterAll(() => system.close());

interface Written {
  readonly userId: string;
  readonly sealed: string;
  readonly eventId: string;
  /** Of a ticket by somebody who was not signed in. */
  readonly reference: string;
}

/** A customer with a value of theirs, and an event that matched nobody. */
const write = async (vault: Vault): Promise<Written> => {
  const { db, clock } = system;
  const { userId } = await createFactories({ ...system, vault }).customer();
  const sealed = (await vault.forUser(db, userId)).seal(userId, context);
  const eventId = random.uuid();
  const rawBody = Buffer.from(`body of ${eventId}`);
  const body = await sealBody(vault, db, { id: eventId, userId: undefined, rawBody, event: null });
  const row = { id: eventId, source: 'payment', gateway: 'sandbox', bodyHash: eventId };
  const at = clock.now();
  await db.webhookEvent.create({
    data: {
      ...row,
      status: 'UNREADABLE',
      sealedBody: body.sealedBody,
      purgeAfter: at,
      receivedAt: at,
    },
  });
  const content = {
    name: 'Asha Rao',
    category: 'CONTACT',
    subject: 'Hello',
    message: 'Hi',
  } as const;
  const reference = await openTicket({ ...system, vault, contactDays: 7 }, content, undefined);
  return { userId, sealed, eventId, reference };
};

/** Reads it as a process with this ring alone. */
const read = async (vault: Vault, { userId, sealed, eventId: id, reference }: Written) => {
  const { db } = system;
  const value = (await vault.forUser(db, userId)).open(sealed, context);
  const { sealedBody } = await db.webhookEvent.findUniqueOrThrow({ where: { id } });
  const row = { id, sealedBody: sealedBody ?? '', sealedForUserId: null };
  const ticket = await db.supportTicket.findUniqueOrThrow({ where: { reference } });
  const ticketContext = { purpose: 'support', column: 'support_ticket.message', row: ticket.id };
  const message = vault.service.open(ticket.messageSealed ?? '', ticketContext);
  return [value, (await openBody(vault, db, row)).rawBody.toString(), message];
};
const asWritten = ({ userId, eventId }: Written) => [userId, `body of ${eventId}`, 'Hi'];

const operator = (vault: Vault, name: 'keyring status' | 'keyring rotate') =>
  runOperatorCommand(
    { name },
    {
      ...system,
      databaseUrl: 'unused',
      openVault: async () => vault,
      openKeys: () => ({ add: async () => 'ks1', rewrap: async () => 0 }),
      readInput: async () => '',
    },
  );

it('is replaced while the service writes; without the old key everything still reads', async () => {
  const prepared = vaultOf(oldKey, newKey);
  const rotating = vaultOf(newKey, oldKey);
  const written = [await write(vaultOf(oldKey)), await write(prepared), await write(prepared)];
  const [first] = written;
  if (first === undefined) throw new Error('nothing was written');
  await expect(read(vaultOf(newKey), first)).rejects.toThrow('the keyring has no key k1');
  expect(await operator(rotating, 'keyring status')).toEqual({
    keyId: 'k2',
    outdated: {
      dataKeys: 3,
      webhookBodies: 3,
      tickets: 3,
      secondFactors: 0,
      approvals: 0,
      auditRows: 0,
    },
  });

  const observed: unknown[] = [];
  const logged: unknown[] = [];
  const sweep = createKeyringRotation({
    ...system,
    vault: rotating,
    batchSize: 2,
    logger: { info: (fields: unknown) => void logged.push(fields) },
    keyringMetrics: { observe: (outdated) => void observed.push(outdated) },
  });
  const { signal } = new AbortController();
  // Two sweeps at once, and replicas of both roll-outs that write beside them.
  const [, , ...beside] = await Promise.all([
    sweep(signal),
    sweep(signal),
    ...[prepared, rotating, prepared, rotating].map(write),
  ]);
  written.push(...beside.filter((one) => one !== undefined));
  expect(written).toHaveLength(7);
  // By now nobody's first key is the old one.
  await sweep(signal);
  expect(observed.at(-1)).toEqual({
    dataKeys: 0,
    webhookBodies: 0,
    tickets: 0,
    secondFactors: 0,
    approvals: 0,
    auditRows: 0,
  });
  expect(logged.length).toBeGreaterThan(0);
  written.push(await write(rotating));

  const after = vaultOf(newKey);
  for (const one of written) expect(await read(after, one)).toEqual(asWritten(one));
});

it('is moved to the first key by the operator command, which says what stays', async () => {
  const key = makeKey('k3');
  const [before, rotating] = [vaultOf(newKey, oldKey), vaultOf(key, newKey, oldKey)];
  const { db, clock } = system;
  const one = await write(before);
  const unknown = { ...(await write(vaultOf(makeKey('lost')))) };
  await createAuditor({ clock, random, vault: before }).record(db, {
    action: 'test.noted',
    actor: { api: 'system' },
    requestId: random.uuid(),
    sealed: { after: { note: 'about no customer' } },
  });
  const users = await db.userDataKey.count();
  // A data key whose wrapping key is lost stops the pass: nobody may believe that it is over.
  await expect(operator(rotating, 'keyring rotate')).rejects.toThrow('the keyring has no key lost');
  await db.userDataKey.update({
    where: { userId: unknown.userId },
    data: { wrappedKey: Buffer.alloc(0), destroyedAt: clock.now() },
  });
  expect(await operator(rotating, 'keyring rotate')).toMatchObject({
    keyId: 'k3',
    changed: { dataKeys: users - 1 },
    // What the lost key sealed, and the row of the audit log.
    outdated: {
      dataKeys: 0,
      webhookBodies: 1,
      tickets: 1,
      secondFactors: 0,
      approvals: 0,
      auditRows: 1,
    },
  });
  expect(await operator(rotating, 'keyring rotate')).toMatchObject({
    changed: { dataKeys: 0, webhookBodies: 0, tickets: 0, secondFactors: 0, approvals: 0 },
  });
  expect(await read(vaultOf(key), one)).toEqual(asWritten(one));
});
