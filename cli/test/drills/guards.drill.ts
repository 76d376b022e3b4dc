import { expect } from 'vitest';
import { sandboxDefaults } from '../../../backend/src/apps/sandbox/sandbox-options.ts';
import { withConnection } from '../../../backend/dev/stack/database-setup.ts';
import { developmentAdmins } from '../../../backend/dev/stack/development-accounts.ts';
import { eventually } from '../../../backend/test/support/eventually.ts';
import type { RunningSystem } from '../../../backend/test/support/open-running-system.ts';
import { openRunbook } from '../support/runbook.ts';
import { drillTest } from './drill.ts';
import { asOwner } from './faults.ts';

const it = drillTest();

/** Runs statements as somebody does who has the owner's rights and switches the triggers off. */
const tamper = (system: RunningSystem, ...statements: readonly string[]): Promise<void> =>
  withConnection(system.stack.database.migrateUrl, async (client) => {
    const tables = ['audit_log', 'audit_chain'];
    await client.query('BEGIN');
    for (const table of tables) await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    for (const statement of statements) await client.query(statement);
    for (const table of tables) await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
    await client.query('COMMIT');
  });

interface Head {
  readonly id: string;
  readonly number: string;
  readonly text: string;
}

/** Returns the newest entry of the chain, and its note as the runbook has it. */
const headOf = async (system: RunningSystem): Promise<Head> => {
  const [head] = await asOwner<Head>(
    system,
    `SELECT audit_id AS id, number::text, number || ':' || encode(hash, 'hex') AS text
     FROM audit_chain ORDER BY number DESC LIMIT 1`,
  );
  if (head === undefined) throw new Error('the chain has an entry');
  return head;
};

it('DigitalGoldAuditChainShrunk and DigitalGoldAuditChainRewritten', async ({
  system,
  env,
  prometheus,
  drill,
}) => {
  const book = openRunbook('audit-chain', env);
  await system.signInAdmin();
  const head = await headOf(system);
  const verify = async (code: number): Promise<string> => {
    const line = 'goldctl audit verify --head "$HEAD"';
    const verified = await book.play(line, { replacing: { $HEAD: head.text } });
    expect(verified.code).toBe(code);
    return verified.stdout;
  };
  await verify(0);
  const { id, number } = head;
  // A head that nobody has read cannot be missed.
  await eventually(() => prometheus.ask(`audit_chain_head_number == ${number}`).then(Boolean), {
    timeoutMs: 120_000,
  });
  await drill({
    alert: 'DigitalGoldAuditChainShrunk',
    fault: 'the newest row is deleted',
    runbook: 'audit-chain',
    cause: () =>
      tamper(
        system,
        `CREATE TABLE cut_log AS SELECT * FROM audit_log WHERE id = '${id}'`,
        `CREATE TABLE cut_chain AS SELECT * FROM audit_chain WHERE number = ${number}`,
        `DELETE FROM audit_chain WHERE number = ${number}`,
        `DELETE FROM audit_log WHERE id = '${id}'`,
      ),
    async clear() {
      expect(await verify(3)).toContain('WRONG_HEAD');
      await tamper(
        system,
        'INSERT INTO audit_log SELECT * FROM cut_log',
        'INSERT INTO audit_chain SELECT * FROM cut_chain',
        'DROP TABLE cut_log, cut_chain',
      );
      await verify(0);
    },
  });
  const write = (hash: string): Promise<void> =>
    tamper(system, `UPDATE audit_chain SET hash = ${hash} WHERE number = ${number}`);
  await drill({
    alert: 'DigitalGoldAuditChainRewritten',
    fault: 'the newest entry is rewritten',
    runbook: 'audit-chain',
    cause: () => write(`sha256('x')`),
    async clear() {
      expect(await verify(3)).toContain('CHANGED');
      await write(`decode('${head.text.split(':')[1]}', 'hex')`);
      await verify(0);
    },
  });
});

/** The environment of a process whose keys of personal data the sandbox's KMS wraps. */
const keyServiceOf = (system: RunningSystem): Readonly<Record<string, string>> => ({
  KEY_SERVICE: 'aws-kms',
  KEY_SERVICE_CACHE_SECONDS: '60',
  AWS_KMS_BASE_URL: `${system.sandbox.url}/aws-kms`,
  AWS_KMS_REGION: 'ap-south-1',
  AWS_KMS_KEY_ID: 'alias/digital-gold',
  AWS_KMS_ACCESS_KEY_ID: sandboxDefaults.awsKmsAccessKeyId,
  AWS_KMS_SECRET_ACCESS_KEY: 'dev-only-kms-secret-access-key',
});

it('DigitalGoldWrappingKeysUnusable', async ({ system, drill }) => {
  const replica = await system.startCustomer(keyServiceOf(system));
  await drill({
    alert: 'DigitalGoldWrappingKeysUnusable',
    fault: 'the key service returns errors for a minute',
    runbook: 'key-service-down',
    cause: () =>
      system.sandbox.control('POST', '/faults', {
        collaborator: 'aws-kms',
        operation: '*',
        fault: 'error',
        times: 100_000,
      }),
    // The page's second step: when the service answers, processes have their keys again.
    clear: () => system.sandbox.clearFaults(),
  });
  await replica.kill();
});

it('DigitalGoldPasswordChecksBusy', async ({ system, env, drill }) => {
  const book = openRunbook('sign-in-abuse', env);
  const { email } = developmentAdmins.SUPPORT;
  await drill({
    alert: 'DigitalGoldPasswordChecksBusy',
    fault: 'passwords are tried from a hundred addresses at once',
    runbook: 'sign-in-abuse',
    async cause() {
      const signIn = system.as(undefined, 'admin');
      const tries = Array.from({ length: 100 }, (_, index) =>
        signIn('POST', '/auth/login', { email, password: `a wrong password ${index}` }),
      );
      const statuses = (await Promise.all(tries)).map(({ status }) => status);
      expect(statuses).toContain(503);
    },
    async clear() {
      expect(await book.play('goldctl codes addresses')).toMatchObject({ code: 0 });
    },
  });
});
