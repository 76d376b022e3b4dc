import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { withConnection } from '../../../backend/dev/stack/database-setup.ts';
import { developmentAdmins } from '../../../backend/dev/stack/development-accounts.ts';
import { eventually } from '../../../backend/test/support/eventually.ts';
import type { RunningSystem } from '../../../backend/test/support/open-running-system.ts';
import { runningTest } from '../../../backend/test/support/running-test.ts';
import { openRunbook } from '../support/runbook.ts';
import { writeStackHome } from '../support/stack-home.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

const it = runningTest({ withAdmin: true, worker: 'none', checked: 'at the end' }).extend(
  'env',
  { scope: 'file' },
  async ({ system }, { onCleanup }) => {
    const home = await writeStackHome(system.stack);
    onCleanup(() => home.remove());
    return home.env;
  },
);

const asOwner = <T extends object>(system: RunningSystem, statement: string): Promise<T[]> =>
  withConnection(system.stack.database.migrateUrl, async (client) => {
    const { rows } = await client.query<T>(statement);
    return rows;
  });

/** Writes as somebody does who has the owner's rights and switches the triggers off. */
const tamper = (system: RunningSystem, statement: string) =>
  withConnection(system.stack.database.migrateUrl, async (client) => {
    await client.query('ALTER TABLE audit_log DISABLE TRIGGER USER');
    await client.query(statement);
    await client.query('ALTER TABLE audit_log ENABLE TRIGGER USER');
  });

describe('price-feed-silent', () => {
  it('shows that there was never a tick, and that the feed lives again', async ({
    system,
    env,
  }) => {
    const book = openRunbook('price-feed-silent', env);
    expect((await book.play('goldctl price ticks')).stdout).toBe('There was never a tick.\n');
    const collaborators = await book.play('goldctl check --category collaborators');
    expect(collaborators).toMatchObject({ code: 3 });
    expect(collaborators.stdout).toContain('× the price feed ticks');
    await system.startWorker();
    await eventually(async () => {
      expect((await book.play('goldctl readiness')).stdout).toMatch(/^price_feed +PASS /mu);
    });
    expect((await book.play('goldctl price ticks')).stdout).toMatch(/^\d+ .* \d+ s$/mu);
    expect(book.unplayed()).toEqual([]);
  });
});

describe('jobs-stand-still', () => {
  it('shows the jobs that wait, and that they are done by another worker', async ({
    system,
    env,
  }) => {
    const worker = system.processes.find(({ app }) => app === 'worker');
    await worker?.kill();
    const book = openRunbook('jobs-stand-still', env);
    const client = await system.newCustomer();
    const buy = await client.buy('500');
    await system.sandbox.pay(buy.gatewayOrderId);
    await client.becomes(buy.orderId, 'PAID');
    const queued = 'goldctl jobs list --status queued';
    expect((await book.play(queued)).stdout).toContain('gold.allocate');
    await system.startWorker();
    await client.becomes(buy.orderId, 'ALLOCATED');
    await eventually(async () => {
      expect((await book.play(queued)).stdout).not.toContain('gold.allocate');
    });
    const check = await book.play('goldctl check --category operations');
    expect(check).toMatchObject({ code: 0 });
    expect(check.stdout).toContain('√ due jobs are done');
    expect(book.unplayed()).toEqual([]);
  });
});

describe('sign-in-abuse', () => {
  it('names the addresses that codes were requested from', async ({ system, env }) => {
    const book = openRunbook('sign-in-abuse', env);
    const phone = '+919812345678';
    const sent = await system.as(undefined)('POST', '/auth/send-otp', { phone });
    expect(sent.status).toBe(200);
    const listed = await book.play('goldctl codes addresses');
    expect(listed.stdout).toMatch(/^10\.\d+\.\d+\.\d+ +1$/mu);
    expect(listed.stdout).not.toContain('9812345678');
    expect(book.unplayed()).toEqual([]);
  });
});

describe('audit-chain', () => {
  it('names the row that somebody changed', async ({ system, env }) => {
    await system.signInAdmin();
    const book = openRunbook('audit-chain', env);
    const [row] = await asOwner<{ id: string; number: string; head: string }>(
      system,
      `SELECT audit_id AS id, number::text, number || ':' || encode(hash, 'hex') AS head
       FROM audit_chain ORDER BY number DESC LIMIT 1`,
    );
    const { id = '', number = '', head = '' } = row ?? {};
    const verify = 'goldctl audit verify --head "$HEAD"';
    const replacing = { $HEAD: head, ID: id, 48210: number };
    expect(await book.play(verify, { replacing })).toMatchObject({ code: 0 });
    await tamper(system, `UPDATE audit_log SET action = 'x-' || action WHERE id = '${id}'`);
    const found = await book.play(verify, { replacing });
    expect(found).toMatchObject({ code: 3 });
    expect(found.stdout).toContain('CHANGED');
    expect((await book.play('goldctl audit row ID', { replacing })).stdout).toContain(' x-');
    const entry = await book.play('goldctl audit entry 48210', { replacing });
    expect(entry.stdout).toContain(head);
    await tamper(system, `UPDATE audit_log SET action = substr(action, 3) WHERE id = '${id}'`);
    expect(await book.play(verify, { replacing })).toMatchObject({ code: 0 });
    expect(await book.play('goldctl reconcile')).toMatchObject({ code: 0 });
    const notes = join(env['STACK_HOME'] ?? '', 'heads.txt');
    writeFileSync(notes, `${head}\n`);
    const check = await book.play('goldctl check', { env: { GOLDCTL_AUDIT_HEADS: notes } });
    expect(check.stdout).toContain('√ the head of the audit chain was noted recently');
    expect(book.unplayed()).toEqual([]);
  });
});

describe('failed-migration', () => {
  it('shows the one that failed, and resolves it', async ({ system, env }) => {
    const name = '29991231000000_newer';
    await asOwner(
      system,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs)
       VALUES ('failed', 'none', '${name}', 'division by zero')`,
    );
    const book = openRunbook('failed-migration', env);
    const failed = await book.play('goldctl migrate status');
    expect(failed).toMatchObject({ code: 3 });
    expect(failed.stdout).toMatch(new RegExp(`^${name} +failed +\\S+ +division by zero$`, 'mu'));
    expect(await book.play('goldctl database status')).toMatchObject({ code: 0 });
    const line = 'goldctl migrate resolve "$MIGRATION" --yes';
    const none = await book.play(line, { replacing: { $MIGRATION: 'garden' } });
    expect(none).toMatchObject({ code: 1 });
    expect(none.stderr).toContain(`Failed: ${name}.`);
    const resolved = await book.play(line, { replacing: { $MIGRATION: name } });
    expect(resolved).toMatchObject({ code: 0 });
    expect(await book.play('goldctl migrate status')).toMatchObject({ code: 0 });
    expect(book.unplayed()).toEqual([]);
  });
});

/** A stack's home whose keyring has another key first. */
const withKeyring = (home: string, change: (old: string) => string) => {
  const folder = mkdtempSync(join(tmpdir(), 'goldctl-keyring-'));
  cpSync(home, folder, { recursive: true });
  const path = join(folder, 'env');
  const text = readFileSync(path, 'utf8');
  const keyring = /^PII_KEYRING=(?<value>.*)$/mu.exec(text)?.groups?.['value'] ?? '';
  writeFileSync(path, text.replace(`PII_KEYRING=${keyring}`, `PII_KEYRING=${change(keyring)}`));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
};

describe('restore-and-keys', () => {
  it('moves what an old key protects to the new one', async ({ system, env }) => {
    await system.newCustomer();
    const book = openRunbook('restore-and-keys', env);
    expect(await book.play('goldctl migrate status')).toMatchObject({ code: 0 });
    const key = `k9:${randomBytes(32).toString('base64')}`;
    const home = env['STACK_HOME'] ?? '';
    const first = withKeyring(home, (old) => `${key},${old}`);
    const last = withKeyring(home, (old) => `${old},${key}`);
    try {
      const rotating = { env: { STACK_HOME: first.folder } };
      const before = await book.play('goldctl keys keyring', rotating);
      expect(before.stdout).toMatch(/^first key +k9$/mu);
      expect(before.stdout).toMatch(/^dataKeys +[1-9]/mu);
      await book.play('goldctl keys rotate', rotating);
      expect((await book.play('goldctl keys keyring', rotating)).stdout).toMatch(/^dataKeys +0$/mu);
      // The processes of this stack know the first one alone.
      await book.play('goldctl keys rotate', { env: { STACK_HOME: last.folder } });
    } finally {
      first.remove();
      last.remove();
    }
    await eventually(async () => {
      const rules = await book.play('goldctl database rules');
      expect(rules).toMatchObject({ code: 0 });
      expect(rules.stdout).toMatch(/^All \d+ rules hold\.$/mu);
    });
    expect(book.unplayed()).toEqual([]);
  });
});

describe('rotate-pepper', () => {
  it('counts a hash of an earlier form until there is a new password', async ({ system, env }) => {
    const book = openRunbook('rotate-pepper', env);
    const { email } = developmentAdmins.SUPPORT;
    await asOwner(
      system,
      `UPDATE admin_user SET password_hash = '$argon2id$v=19$m=1,t=1,p=1$c2FsdA$aGFzaA'
       WHERE email = '${email}'`,
    );
    const status = 'goldctl keys status';
    expect((await book.play(status)).stdout).toContain('none (an earlier form)');
    const reset = await book.play('goldctl admin reset-password EMAIL', {
      replacing: { EMAIL: email },
      typed: ['a password long enough', 'a password long enough'],
    });
    expect(reset).toMatchObject({ code: 0 });
    const later = (await book.play(status)).stdout;
    expect(later).toMatch(/^CREDENTIAL_PEPPER +passwords of operators +\w+ +\d+$/mu);
    expect(later).not.toContain('none (an earlier form)');
    expect(book.unplayed()).toEqual([]);
  });
});

describe('rotate-blind-index-key', () => {
  it('counts what is not hashed by the new key, until the sweeps are done', async ({
    system,
    env,
  }) => {
    const { userId } = await system.newCustomer();
    const book = openRunbook('rotate-blind-index-key', env);
    await asOwner(system, `UPDATE app_user SET phone_hash_key = NULL WHERE id = '${userId}'`);
    const status = 'goldctl keys status';
    await eventually(async () => {
      const { stdout } = await book.play(status);
      expect(stdout).toMatch(/^BLIND_INDEX_KEY +phones +\w+ +\d+$/mu);
      expect(stdout).not.toContain('none (an earlier form)');
    });
    expect(book.unplayed()).toEqual([]);
  });
});
