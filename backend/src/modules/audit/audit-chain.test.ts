import { setImmediate } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { createFactories } from '#test/support/factories.ts';
import { openConnections } from '#test/support/open-connections.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { withConnection } from '../../../dev/stack/database-setup.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import { createDatabase, execute, type Database, type Db } from '../../platform/db/index.ts';
import type { ChainLink } from './audit-chain.store.ts';
import { createChainGauge, readChainHead, verifyChain, type ChainFinding } from './index.ts';

const rows = 8;

let system: TestSystem;
/** As the tables' owner, who may switch the triggers off. */
let owner: Database;
let head: ChainLink;

const record = (db: Db, action: string) =>
  system.audit.record(db, {
    action,
    actor: { api: 'admin', id: system.random.uuid(), email: 'asha@example.test', role: 'ADMIN' },
    target: { type: 'kyc', id: 'ä-1' },
    before: {
      status: 'SUBMITTED',
      limits: { max: 100, min: null },
      'Grüße "x"': [1.5, true, '\n'],
    },
    after: { status: 'APPROVED' },
    sealed: { after: { reason: 'moved to Kochi' } },
    requestId: 'request-1',
    ip: '203.0.113.7',
  });

beforeAll(async () => {
  system = await openTestSystem();
  owner = createDatabase({
    url: system.addresses.migrateUrl,
    poolSize: 2,
    applicationName: 'tamper',
  });
  for (let count = 1; count <= rows; count += 1) await record(system.db, `action-${count}`);
  head = await readChainHead(system.db);
});

afterAll(async () => {
  await owner.close();
  await system.close();
});

class Undone extends Error {}

/** Reads a log that the tables' owner has changed, and rolls the change back. */
const whileTampered = async (
  statements: readonly string[],
  read: (tx: Db) => Promise<void>,
): Promise<void> => {
  const tampering = owner.inTransaction(async (tx) => {
    for (const statement of [
      'ALTER TABLE audit_log DISABLE TRIGGER USER',
      'ALTER TABLE audit_chain DISABLE TRIGGER USER',
      'ALTER TABLE audit_chain DROP CONSTRAINT audit_chain_audit_id_fkey',
      ...statements,
    ]) {
      await execute(tx, Prisma.raw(statement));
    }
    await read(tx);
    throw new Undone();
  });
  await expect(tampering).rejects.toThrow(Undone);
};

const findingsAfter = async (statements: readonly string[], noted?: ChainLink) => {
  let findings: readonly ChainFinding[] | undefined;
  await whileTampered(statements, async (tx) => {
    ({ findings } = await verifyChain(tx, noted));
  });
  return findings;
};

const idOf = (number: number) => `(SELECT audit_id FROM audit_chain WHERE number = ${number})`;
const rowOf = (number: number) => `(SELECT a FROM audit_log a WHERE id = ${idOf(number)})`;
const hashOf = (number: number) => `(SELECT hash FROM audit_chain WHERE number = ${number})`;

/** Computes the hashes again from a row on, as an attacker would do who knows how. */
const rewrite = (from: number) =>
  Array.from({ length: rows - from + 1 }, (_, index) => from + index).map(
    (number) => `
      UPDATE audit_chain SET hash = audit_chain_hash(${number}, ${hashOf(number - 1)}, ${rowOf(number)})
      WHERE number = ${number}`,
  );

const remove = (number: number) => [
  `DELETE FROM audit_log WHERE id = ${idOf(number)}`,
  `DELETE FROM audit_chain WHERE number = ${number}`,
];

const insertRow = `
  INSERT INTO audit_log (id, action, actor_api, at)
  VALUES ('00000000-0000-4000-8000-000000000001', 'forged', 'admin', now())`;

/** A different value of each column, by its type. */
const otherValue: Readonly<Record<string, string>> = {
  uuid: 'gen_random_uuid()',
  bigint: 'seq + 1000',
  text: "'other'",
  jsonb: `'{"status": "OTHER"}'`,
  'timestamp with time zone': "at + interval '1 millisecond'",
};

describe('the audit chain', () => {
  it('has one entry for each row in the order of the commits', async () => {
    expect(await verifyChain(system.db)).toEqual({ head, verified: BigInt(rows), findings: [] });
    expect(head).toEqual({ number: BigInt(rows), hash: expect.stringMatching(/^[\da-f]{64}$/u) });
    const chained = await system.db.auditChain.findMany({
      orderBy: { number: 'asc' },
      select: { number: true, audit: { select: { action: true } } },
    });
    expect(chained.map(({ number, audit }) => `${number} ${audit.action}`)).toEqual(
      Array.from({ length: rows }, (_, index) => `${index + 1} action-${index + 1}`),
    );
  });

  it('covers every column of a row', async () => {
    const columns = await system.db.$queryRaw<{ name: string; type: string; nullable: boolean }[]>`
      SELECT column_name AS name, data_type AS type, is_nullable = 'YES' AS nullable
      FROM information_schema.columns
      WHERE table_schema = 'public' AND table_name = 'audit_log'`;
    expect(columns.length).toBeGreaterThan(16);
    for (const { name, type, nullable } of columns) {
      const values = [
        otherValue[type] ?? `no other value of ${type}`,
        ...(nullable ? ['NULL'] : []),
      ];
      if (name === 'sealed_for_user_id') values.pop(); // it is null already
      for (const value of values) {
        const statements = [
          'ALTER TABLE audit_log DROP CONSTRAINT IF EXISTS audit_log_sealed_for_user_id_fkey',
          `UPDATE audit_log SET ${name} = ${value} WHERE id = ${idOf(4)}`,
        ];
        const kind = name === 'id' ? 'MISSING' : 'CHANGED';
        const [first] = (await findingsAfter(statements)) ?? [];
        expect(first, `${name} = ${value}`).toMatchObject({ kind, number: 4n });
      }
    }
  });

  it('distinguishes a null column from a JSON null', async () => {
    const statements = [`UPDATE audit_log SET before = 'null' WHERE id = ${idOf(4)}`];
    const [first] = (await findingsAfter(statements)) ?? [];
    expect(first).toMatchObject({ kind: 'CHANGED', number: 4n });
  });

  it.each<[string, () => string[], object[]]>([
    [
      'a row',
      () => [`DELETE FROM audit_log WHERE id = ${idOf(4)}`],
      [{ kind: 'MISSING', number: 4n }],
    ],
    ['a row and its entry', () => remove(4), [{ kind: 'MISSING', number: 4n }]],
    ['the first row and its entry', () => remove(1), [{ kind: 'MISSING', number: 1n }]],
    [
      'an entry alone',
      () => ['DELETE FROM audit_chain WHERE number = 4'],
      [{ kind: 'MISSING', number: 4n }, { kind: 'INSERTED' }],
    ],
    [
      'a row, and the gap closed',
      () => [
        ...remove(4),
        ...[5, 6, 7, 8].map((n) => `UPDATE audit_chain SET number = ${n - 1} WHERE number = ${n}`),
      ],
      [4n, 5n, 6n, 7n].map((number) => ({ kind: 'CHANGED', number })),
    ],
  ])('shows a removal of %s', async (_what, statements, expected) => {
    expect(await findingsAfter(statements())).toMatchObject(expected);
  });

  it('shows a row that was inserted without the trigger', async () => {
    expect(await findingsAfter([insertRow])).toEqual([
      { kind: 'INSERTED', auditId: '00000000-0000-4000-8000-000000000001' },
    ]);
  });

  it('shows a row that was inserted between others', async () => {
    const statements = [
      ...[8, 7, 6].map((n) => `UPDATE audit_chain SET number = ${n + 1} WHERE number = ${n}`),
      insertRow,
      `INSERT INTO audit_chain (number, audit_id, hash)
       SELECT 6, id, audit_chain_hash(6, ${hashOf(5)}, a) FROM audit_log a WHERE action = 'forged'`,
    ];
    expect(await findingsAfter(statements)).toMatchObject(
      [7n, 8n, 9n].map((number) => ({ kind: 'CHANGED', number })),
    );
  });

  it('shows two rows that were exchanged', async () => {
    const statements = [
      'DROP INDEX audit_chain_audit_id_key',
      `CREATE TEMP TABLE pair ON COMMIT DROP AS SELECT ${idOf(3)} AS three, ${idOf(5)} AS five`,
      `UPDATE audit_chain SET audit_id = CASE audit_id WHEN three THEN five ELSE three END
       FROM pair WHERE audit_id IN (three, five)`,
    ];
    expect(await findingsAfter(statements)).toMatchObject([
      { kind: 'CHANGED', number: 3n },
      { kind: 'CHANGED', number: 5n },
    ]);
  });

  it('shows a changed hash at its entry and the next one', async () => {
    const statements = ["UPDATE audit_chain SET hash = sha256('x') WHERE number = 4"];
    expect(await findingsAfter(statements)).toMatchObject([
      { kind: 'CHANGED', number: 4n },
      { kind: 'CHANGED', number: 5n },
    ]);
  });

  it('shows by an earlier head that the tail was cut off', async () => {
    const statements = [...remove(8), ...remove(7)];
    expect(await findingsAfter(statements)).toEqual([]);
    expect(await findingsAfter(statements, head)).toEqual([{ kind: 'WRONG_HEAD', number: 8n }]);
  });

  it('shows by an earlier head that all entries were rewritten from some row on', async () => {
    const statements = [`UPDATE audit_log SET ip = NULL WHERE id = ${idOf(4)}`, ...rewrite(4)];
    expect(await findingsAfter(statements)).toEqual([]);
    expect(await findingsAfter(statements, head)).toEqual([{ kind: 'WRONG_HEAD', number: 8n }]);
  });

  it('is in order with an earlier head, even the head of an empty log', async () => {
    expect((await verifyChain(system.db, head)).findings).toEqual([]);
    const none = { number: 0n, hash: '0'.repeat(64) };
    expect((await verifyChain(system.db, none)).findings).toEqual([]);
  });

  it.each([
    [
      `INSERT INTO audit_chain (number, audit_id, hash)
        SELECT 99, id, sha256(id::text::bytea) FROM audit_log`,
    ],
    ["UPDATE audit_chain SET hash = sha256('x')"],
    ['DELETE FROM audit_chain'],
    ['TRUNCATE audit_chain'],
    ['ALTER TABLE audit_log DISABLE TRIGGER audit_log_chain'],
    ["SET session_replication_role = 'replica'"],
  ])('is out of reach of the application: %s', async (statement) => {
    const refused = withConnection(system.addresses.appUrl, (client) => client.query(statement));
    await expect(refused).rejects.toThrow(/permission denied|must be owner/u);
  });

  it("is published as its head's number and the start of its hash", async () => {
    await createChainGauge({ ...system, registry: system.metrics.registry })();
    const text = await system.metrics.registry.metrics();
    const valueOf = (name: string) =>
      Number(new RegExp(`^${name}\\{.*\\} (.+)$`, 'mu').exec(text)?.[1]);
    const now = await readChainHead(system.db);
    expect(valueOf('audit_chain_head_number')).toBe(Number(now.number));
    const published = valueOf('audit_chain_head_hash').toString(16).padStart(13, '0');
    expect(published).toBe(now.hash.slice(0, 13));
  });
});

/** Publishes the head of the log that `reads` returns. */
const openGauge = () => {
  const registry = new Registry();
  let reads: Db = system.db;
  const db: Pick<Db, 'auditChain'> = {
    get auditChain() {
      return reads.auditChain;
    },
  };
  const publish = createChainGauge({ db, registry, logger: system.logger });
  return async (from: Db = system.db): Promise<unknown> => {
    reads = from;
    await publish();
    const [changed] =
      (await registry.getSingleMetric('audit_chain_noted_head_changed')?.get())?.values ?? [];
    return changed?.value;
  };
};

describe('the head that was published before', () => {
  it.each([
    ['was cut off', () => [...remove(8), ...remove(7)]],
    [
      'was written again',
      () => [`UPDATE audit_log SET ip = NULL WHERE id = ${idOf(4)}`, ...rewrite(4)],
    ],
  ])('shows that the tail %s, and goes on showing it', async (_what, statements) => {
    const changed = openGauge();
    expect(await changed()).toBe(0);
    await whileTampered(statements(), async (tx) => {
      expect(await changed(tx)).toBe(1);
      expect(await changed(tx)).toBe(1);
    });
  });

  it('is compared with the log by number and hash while the log grows', async () => {
    const changed = openGauge();
    expect(await changed()).toBe(0);
    await record(system.db, 'one-more');
    expect(await changed()).toBe(0);
    expect(await changed()).toBe(0);
  });
});

describe('writers at once', () => {
  it('write one chain without gaps, even if transactions fail or connections are cut', async () => {
    const before = await readChainHead(system.db);
    // There are as many connections as writers, so writers wait only for the chain.
    const processes = ['one', 'other'].map((applicationName) =>
      createDatabase({ url: system.addresses.appUrl, poolSize: 25, applicationName }),
    );
    for (const database of processes) await openConnections(database, 25);
    const cutOff = withConnection(system.addresses.appUrl, async (client) => {
      client.on('error', () => {});
      await client.query('BEGIN');
      await client.query(
        "INSERT INTO audit_log (id, action, actor_api, at) VALUES (gen_random_uuid(), 'cut', 'admin', now())",
      );
      await client.query('SELECT pg_terminate_backend(pg_backend_pid())');
    });
    const write = (count: number) =>
      processes[count % 2]?.inTransaction(
        async (tx) => {
          await record(tx, `at-once-${count}`);
          await setImmediate();
          await record(tx, `at-once-${count}`);
          if (count % 10 === 0) throw new Error('the change failed');
        },
        { timeoutMs: 60_000 },
      );
    const results = await Promise.allSettled([
      ...Array.from({ length: 50 }, (_, index) => write(index)),
      cutOff,
    ]);
    await Promise.all(processes.map((database) => database.close()));
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(6);
    const report = await verifyChain(system.db, before);
    expect(report.findings).toEqual([]);
    expect(report.head.number).toBe(before.number + 90n);
    expect(report.verified).toBe(report.head.number);
  });

  it('wait only for transactions that commit at the same time', async () => {
    const before = await readChainHead(system.db);
    // One writer has recorded and continues without a lock of the chain. The other does not wait.
    await system.inTransaction(async (slow) => {
      await record(slow, 'slow');
      await system.inTransaction((quick) => record(quick, 'quick'));
      const { head: now, findings } = await verifyChain(system.db);
      expect(findings).toEqual([]);
      expect(now.number).toBe(before.number + 1n);
    });
    const last = await system.db.auditChain.findMany({
      orderBy: { number: 'desc' },
      take: 2,
      select: { audit: { select: { action: true } } },
    });
    expect(last.map(({ audit }) => audit.action)).toEqual(['slow', 'quick']);
  });

  it('lock the chain after every other lock of their commit', async () => {
    const { userId } = await createFactories(system).customer();
    const before = await readChainHead(system.db);
    let held: Promise<unknown> | undefined;
    await owner.inTransaction(async (tx) => {
      await tx.$executeRaw`LOCK TABLE running_total IN SHARE ROW EXCLUSIVE MODE`;
      // The commit reaches the audit row first, and then the totals, which another has locked.
      held = system.inTransaction(async (inner) => {
        await record(inner, 'held');
        const data = { blocked: true, blockedAt: new Date(), blockedReasonSealed: 'sealed' };
        await inner.user.update({ where: { id: userId }, data });
      });
      await eventually(async () => {
        const waiting = await system.db.$queryRaw<{ count: number }[]>`
          SELECT count(*)::int AS count FROM pg_locks
          WHERE NOT granted AND relation = 'running_total'::regclass`;
        expect(waiting).toEqual([{ count: 1 }]);
      });
      await system.inTransaction((other) => record(other, 'not held up'));
      expect((await readChainHead(system.db)).number).toBe(before.number + 1n);
    });
    await held;
    expect((await verifyChain(system.db)).head.number).toBe(before.number + 2n);
    expect(await system.db.auditPending.count()).toBe(0);
  });
});
