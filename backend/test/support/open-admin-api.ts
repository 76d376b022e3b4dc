import { environmentOf } from '../../dev/stack/environment.ts';
import { readPorts } from '../../dev/stack/stack-ports.ts';
import { adminApiVariables, createAdminApi } from '../../src/apps/admin/admin-api.ts';
import { sandboxDefaults } from '../../src/apps/sandbox/sandbox-options.ts';
import { loadConfig } from '../../src/runtime/load-config.ts';
import { openTestSystem, type TestSystem } from './open-test-system.ts';

/** Every route of the admin API, served by this process over the stores of a test file. */
export interface OpenAdminApi {
  readonly system: TestSystem;
  readonly api: ReturnType<typeof createAdminApi>;
  /** The address, with the prefix. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Opens the admin API as its process builds it, in `test` mode against the sandbox. `more` is
 * environment.
 */
export const openAdminApi = async (
  more: Readonly<Record<string, string>> = {},
): Promise<OpenAdminApi> => {
  const system = await openTestSystem();
  const stackEnv = environmentOf('admin', {
    mode: 'test',
    ports: { ...readPorts({}), sandbox: Number(new URL(system.sandbox.url).port) },
    databaseUrl: system.addresses.databaseUrl,
    migrateUrl: system.addresses.migrateUrl,
    redisUrl: system.addresses.redisUrl,
    settingsDir: system.settingsDir,
    objectsDir: system.objectsDir,
    sandboxDir: system.settingsDir,
  });
  const env = {
    ...stackEnv,
    SAFEGOLD_TOKEN: sandboxDefaults.safegoldToken,
    GITHUB_TOKEN: String(sandboxDefaults.githubToken),
    ...more,
  };
  const api = createAdminApi(loadConfig(adminApiVariables, env), env, system);
  const { routes, guard, prefix } = api.definition;
  const url = await system.serve({ prefix, routes, guard });
  return {
    system,
    api,
    url,
    async close() {
      await Promise.all([api.services.close(), api.objects.close(), api.ci?.close()]);
      await system.close();
    },
  };
};
