import { createServer } from 'node:http';
import { createApiApp } from '../../runtime/create-api-app.ts';
import { createRuntime } from '../../runtime/create-runtime.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { runMain, startProcess } from '../../runtime/start-process.ts';
import { createAccountingApi, accountingVariables } from './accounting-api.ts';

/** Starts the accounting API, for tax and audit staff. It is internal only. */
await runMain('accounting', async (env) => {
  const config = loadConfig(accountingVariables, env);
  const runtime = await createRuntime('accounting', config, env);
  const definition = createAccountingApi(config, runtime);
  const app = createApiApp(definition, config, runtime);
  const api = { server: createServer(app), port: config.PORT };
  const closeFirst = [{ name: 'refusals', close: definition.flush }];
  await startProcess({ runtime, config, api, closeFirst });
});
