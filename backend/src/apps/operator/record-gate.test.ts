import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { parseCommand } from './parse-command.ts';
import { runOperatorCommand } from './run-command.ts';

let system: TestSystem;

beforeAll(async () => {
  system = await openTestSystem();
});

afterAll(async () => system.close());

const run = (line: readonly string[], reason: string) =>
  runOperatorCommand(parseCommand(['gate', 'record', ...line]), {
    ...system,
    databaseUrl: 'unused',
    openVault: async () => system.vault,
    openKeys: () => ({ add: async () => 'ks1', rewrap: async () => 0 }),
    readInput: async () => reason,
  });

const close = ['--gate', 'sell', '--state', 'closed', '--by', 'asha@ops-1'];

it('the record of a gate keeps who turned a gate, and why in sealed form', async () => {
  expect(await run(close, 'the provider quotes a wrong price\n')).toEqual({
    gate: 'sell',
    state: 'closed',
    recorded: true,
  });
  const row = await system.db.auditLog.findFirstOrThrow({ orderBy: { seq: 'desc' } });
  expect(row).toMatchObject({
    action: 'gate.turn',
    actorApi: 'system',
    targetType: 'gate',
    targetId: 'sell',
    after: { state: 'closed', by: 'asha@ops-1' },
  });
  expect(row.sealed).not.toBeNull();
  expect(JSON.stringify({ ...row, seq: 0 })).not.toContain('wrong price');
});

it('the record of a gate takes no gate that there is not, and no reason that says nothing', async () => {
  await expect(run(close, '  ')).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  const garden = ['--gate', 'garden', '--state', 'closed', '--by', 'asha'];
  expect(() => parseCommand(['gate', 'record', ...garden])).toThrow(/gate/u);
});
