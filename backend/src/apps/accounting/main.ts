import { createServer } from 'node:http';
import { createAccounting } from '../../modules/accounting/index.ts';
import { accountingVariables } from './accounting.variables.ts';
import { createApiApp } from '../../runtime/create-api-app.ts';
import { createRuntime } from '../../runtime/create-runtime.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { runMain, startProcess } from '../../runtime/start-process.ts';

/** Starts the accounting API, for tax and audit staff; it is internal only. */
await runMain(async (env) => {
  const config = loadConfig(accountingVariables, env);
  const runtime = await createRuntime('accounting', config, env);
  const { db, inTransaction } = runtime.database;
  const accounting = createAccounting({ ...runtime, db, inTransaction });
  const app = createApiApp(
    {
      name: 'accounting',
      title: 'Digital Gold accounting API',
      description: 'Registers for accounting, tax and audit staff.',
      prefix: '/api/v1/accounting',
      tags: {},
      limitPerMinute: 120,
      docs: false,
      ...accounting,
    },
    config,
    runtime,
  );
  const api = { server: createServer(app), port: config.PORT };
  await startProcess({ runtime, config, api });
});
