import { ConfigError } from '../../platform/config/config.ts';
import { createRuntime } from '../../runtime/create-runtime.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { seedAccounts } from './seed-accounts.ts';
import { seedCatalogue } from './seed-catalogue.ts';
import { seedEvidence } from './seed-evidence.ts';

/** Seeds a new development stack; adds only what is missing. */
const main = async (): Promise<void> => {
  const config = loadConfig({}, process.env);
  if (config.APP_MODE === 'production') {
    throw new ConfigError('APP_MODE: the development seed is refused in production');
  }
  const runtime = await createRuntime('seed', config, process.env);
  try {
    await seedAccounts(runtime);
    await seedEvidence(runtime);
    await seedCatalogue(runtime);
  } finally {
    await runtime.close();
  }
};

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
