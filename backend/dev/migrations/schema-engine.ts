import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as engineBindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import { __wbg_set_wasm as setWasm } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { createMigrationAdapter } from './migration-adapter.ts';
import type { SchemaFile } from './migration-files.ts';

export type SchemaEngine = engineBindings.SchemaEngine;

let linked = false;
let panicMessage = '';

/** Returns the engine's panic message, which its errors don't carry, or empty before any panic. */
export const enginePanic = (): string => panicMessage;

/** Links the WebAssembly module to its bindings, once for the process. */
const link = (): void => {
  if (linked) return;
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: {
      set_message: (message: string) => {
        panicMessage = message;
      },
    },
  });
  const bindings = createRequire(import.meta.url).resolve(
    '@prisma/schema-engine-wasm/schema_engine_bg',
  );
  const bytes = readFileSync(join(dirname(bindings), 'schema_engine_bg.wasm'));
  const imports = { './schema_engine_bg.js': engineBindings };
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), imports);
  setWasm(exports);
  const start = exports['__wbindgen_start'];
  if (typeof start !== 'function') throw new Error('the schema engine has no entry point');
  start();
  linked = true;
};

interface OpenEngine {
  readonly engine: SchemaEngine;
  readonly close: () => Promise<void>;
}

/** Opens Prisma's schema engine on a database, without an engine binary. The caller closes it. */
export const openSchemaEngine = async (
  url: string,
  schema: readonly SchemaFile[],
): Promise<OpenEngine> => {
  link();
  const adapter = createMigrationAdapter(url);
  const engine = await engineBindings.SchemaEngine.new(
    { datamodels: schema.map(({ path, content }) => [path, content]) },
    () => {},
    adapter.factory,
  );
  return {
    engine,
    close: async () => {
      engine.free();
      await adapter.close();
    },
  };
};
