import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { z } from 'zod';
import { rulesSql } from '../../migrations/rules-of-schema.ts';
import { createTestServers } from '../../support/test-servers.ts';

/*
 * Removes the rules of the database, and prints a row of Markdown for each with the test that
 * fails. The tests of the schema check each rule by itself, so all rules of a kind are removed at
 * once for them. With SIMULATE=true, triggers, which change rows, are also removed one after the
 * other for the simulation, with STEPS steps each. ONLY selects rules by a part of their names.
 */

const backend = join(import.meta.dirname, '..', '..', '..');
const only = process.env['ONLY'] ?? '';
const steps = process.env['STEPS'] || '400';
const kinds = ['check', 'unique', 'reference', 'trigger'] as const;

interface Rule {
  readonly name: string;
  readonly broken: string;
}

const readRules = async (): Promise<readonly Rule[]> => {
  const servers = createTestServers({ adminUrl: undefined, redisUrl: undefined });
  try {
    const { migrateUrl } = await servers.acquire('empty');
    const client = new Client({ connectionString: migrateUrl });
    await client.connect();
    const { rows } = await client.query<Rule>(rulesSql);
    await client.end();
    return rows;
  } finally {
    await servers.stop();
  }
};

const run = (args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: backend, env: { ...process.env, ...env } });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.on('close', () => resolve(text));
  });

const reportShape = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(
        z.object({
          status: z.string(),
          fullName: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});

interface FailedTest {
  readonly file: string;
  readonly name: string;
  readonly says: string;
}

/** Returns the tests of the schema that fail without these rules. */
const runTests = async (rules: readonly Rule[]): Promise<readonly FailedTest[]> => {
  const vitest = join(backend, '..', 'node_modules', 'vitest', 'vitest.mjs');
  const folder = mkdtempSync(join(tmpdir(), 'digital-gold-rules-'));
  const file = join(folder, 'report.json');
  const options = ['--project', 'fast', '--maxWorkers', '1', '--reporter', 'json'];
  const args = [vitest, 'run', ...options, `--outputFile=${file}`, 'test/migrations'];
  const broken = rules.map((rule) => rule.broken).join(';\n');
  await run(args, { BREAK_RULE: broken });
  const { testResults } = reportShape.parse(JSON.parse(readFileSync(file, 'utf8')));
  rmSync(folder, { recursive: true });
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => ({
        file: name.slice(name.lastIndexOf('/') + 1),
        name: fullName,
        says: (failureMessages ?? []).join('\n'),
      })),
  );
};

/** Returns the failed test of this rule, else a test that names it, else the list of all rules. */
const finderOf = (failed: readonly FailedTest[], { name }: Rule): string => {
  const [, own = ''] = name.split(' ');
  const about = failed.find(({ name: title }) => title.includes(own));
  const other = failed.find(({ file, says }) => file !== 'rules.test.ts' && says.includes(own));
  const list = failed.find(({ file }) => file === 'rules.test.ts');
  const found = about ?? other ?? list;
  return found === undefined ? 'nothing' : `\`${found.file}\`, "${found.name}"`;
};

const runSimulation = async ({ broken }: Rule): Promise<string> => {
  const env = { SEED: '1', STEPS: steps, TRIES: '0', REPORT: '', BREAK_RULE: broken };
  const text = await run(['test/simulation/main.ts'], env);
  const found = /^seed \d+ failed at step (\d+): (.*)$/mu.exec(text);
  return found === null ? `not in ${steps}` : `${found[1]} steps: ${found[2]}`;
};

const isSimulated = ({ name }: Rule): boolean =>
  process.env['SIMULATE'] === 'true' &&
  name.startsWith('trigger ') &&
  !name.endsWith('_append_only');

const all = (await readRules()).filter(({ name }) => name.includes(only));
for (const kind of kinds) {
  const rules = all.filter(({ name }) => name.startsWith(`${kind} `));
  if (rules.length === 0) continue;
  const failed = await runTests(rules);
  for (const rule of rules) {
    const simulated = isSimulated(rule) ? ` ${await runSimulation(rule)} |` : '';
    process.stdout.write(`| ${rule.name} | ${finderOf(failed, rule)} |${simulated}\n`);
  }
}
