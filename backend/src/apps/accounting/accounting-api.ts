import { createAccounting } from '../../modules/accounting/index.ts';
import type { ApiDefinition } from '../../runtime/create-api-app.ts';
import type { Runtime } from '../../runtime/create-runtime.ts';

/** Declares the routes of the accounting API; nothing is served yet. */
export const createAccountingApi = (runtime: Runtime): ApiDefinition => {
  const { db, inTransaction } = runtime.database;
  const shared = { ...runtime, db, inTransaction };
  const accounting = createAccounting(shared);
  return {
    name: 'accounting',
    title: 'Digital Gold accounting API',
    description: 'Registers for accounting, tax and audit staff.',
    prefix: '/api/v1/accounting',
    tags: {},
    limitPerMinute: 120,
    docs: false,
    guard: accounting.guard,
    routes: [...accounting.routes],
  };
};
