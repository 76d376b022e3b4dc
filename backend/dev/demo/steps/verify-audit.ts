import { verifyChain } from '../../../src/modules/audit/index.ts';
import { createDatabase } from '../../../src/platform/db/index.ts';
import type { Demo, Step } from '../demo.types.ts';
import { expectThat } from '../step-failure.ts';

const run = async ({ endpoints }: Demo): Promise<readonly string[]> => {
  const database = createDatabase({
    url: endpoints.database,
    poolSize: 1,
    applicationName: 'demo',
  });
  try {
    const { head, verified, findings } = await verifyChain(database.db);
    const [first] = findings;
    const where = `entry ${first?.number ?? '-'}, row ${first?.auditId ?? '-'}`;
    expectThat(first === undefined, `the audit chain is broken: ${first?.kind} at ${where}`);
    expectThat(verified > 0n, 'the audit log is empty');
    return [`${verified} audit rows as they were written, head ${head.hash.slice(0, 16)}...`];
  } finally {
    await database.close();
  }
};

/** Compares the whole audit log with its chain, as `goldctl audit verify` does. */
export const verifyAudit: Step = {
  title: 'Every audit row is as it was written',
  run,
};
