import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  accountingVariables,
  createAccountingApi,
} from '../../src/apps/accounting/accounting-api.ts';
import { createAdminApi, adminApiVariables } from '../../src/apps/admin/admin-api.ts';
import { createCustomerApi, customerApiVariables } from '../../src/apps/customer/customer-api.ts';
import { documentOf } from '../../src/runtime/create-api-app.ts';
import { createOfflineRuntime } from '../../src/runtime/create-runtime.ts';
import { loadConfig } from '../../src/runtime/load-config.ts';
import { environmentOf } from '../stack/environment.ts';
import { readPorts } from '../stack/stack-ports.ts';

/** Addresses that only have to be valid, since nothing is called. */
const addresses = {
  mode: 'development',
  ports: readPorts({}),
  databaseUrl: 'postgresql://nobody@127.0.0.1:1/none',
  migrateUrl: 'postgresql://nobody@127.0.0.1:1/none',
  redisUrl: 'redis://127.0.0.1:1',
  settingsDir: '/nonexistent',
  objectsDir: '/nonexistent',
  sandboxDir: '/nonexistent',
} as const;

const quiet = { LOG_LEVEL: 'fatal', CLOCK_CONTROL: 'false' };

const customerDocument = async () => {
  const env = { ...environmentOf('customer', addresses), ...quiet };
  const config = loadConfig(customerApiVariables, env);
  const runtime = await createOfflineRuntime('customer', config, env);
  const { definition, sms, objects, services } = createCustomerApi(config, env, runtime);
  const document = documentOf(definition);
  await Promise.all([sms.close(), objects.close(), services.close(), runtime.close()]);
  return document;
};

const adminDocument = async () => {
  const env = { ...environmentOf('admin', addresses), ...quiet };
  const config = loadConfig(adminApiVariables, env);
  const runtime = await createOfflineRuntime('admin', config, env);
  const { definition, ci, objects, services } = createAdminApi(config, env, runtime);
  const document = documentOf(definition);
  await Promise.all([ci?.close(), objects.close(), services.close(), runtime.close()]);
  return document;
};

/** Builds the document of the accounting API, which publishes none. */
const accountingDocument = async () => {
  const env = { ...environmentOf('accounting', addresses), ...quiet };
  const config = loadConfig(accountingVariables, env);
  const runtime = await createOfflineRuntime('accounting', config, env);
  const document = documentOf(createAccountingApi(config, runtime));
  await runtime.close();
  return document;
};

/** Builds the OpenAPI documents of both published APIs, without a server or a store. */
export const buildDocuments = async () => ({
  customer: await customerDocument(),
  admin: await adminDocument(),
});

const writeChanged = (file: string, document: object): void => {
  const text = `${JSON.stringify(document, undefined, 2)}\n`;
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
};

/**
 * Writes `customer.json` and `admin.json` into `folder`, and the unpublished document into its
 * folder `unpublished`, for the fuzzer. A file whose content is the same is not written.
 */
export const writeDocuments = async (folder: string): Promise<void> => {
  const unpublished = join(folder, 'unpublished');
  mkdirSync(unpublished, { recursive: true });
  for (const [name, document] of Object.entries(await buildDocuments())) {
    writeChanged(join(folder, `${name}.json`), document);
  }
  writeChanged(join(unpublished, 'accounting.json'), await accountingDocument());
};
