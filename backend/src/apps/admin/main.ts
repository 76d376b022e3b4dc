import { createServer } from 'node:http';
import { createApiApp } from '../../runtime/create-api-app.ts';
import { createRuntime } from '../../runtime/create-runtime.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { runMain, startProcess } from '../../runtime/start-process.ts';
import { adminApiVariables, createAdminApi } from './admin-api.ts';

/** Starts the admin API, for operators. */
await runMain('admin', async (env) => {
  const config = loadConfig(adminApiVariables, env);
  const runtime = await createRuntime('admin', config, env);
  const { definition, services, ci, objects } = createAdminApi(config, env, runtime);
  const app = createApiApp(definition, config, runtime);
  await startProcess({
    runtime,
    config,
    api: { server: createServer(app), port: config.PORT },
    closeFirst: [
      { name: 'services', close: () => services.close() },
      { name: 'ci', close: async () => ci?.close() },
      { name: 'objects', close: () => objects.close() },
    ],
  });
});
