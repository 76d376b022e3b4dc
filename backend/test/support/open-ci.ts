import type { Ci } from '../../src/adapters/ci/port.ts';
import { sandboxDefaults } from '../../src/apps/sandbox/sandbox-options.ts';
import { createDecideDeployments } from '../../src/modules/ci/index.ts';
import { bearerCaller, type Answer, type Caller } from './caller.ts';
import { createFactories, type MadeAdmin } from './factories.ts';
import { openTestSystem, type TestSystem } from './open-test-system.ts';
import { runSweeps } from './run-sweeps.ts';
import { serveAdminApi, type ServedOn } from './serve-apis.ts';

/** The admin API as its process builds it, with CI runs in the sandbox. */
export interface OpenCi {
  readonly system: TestSystem;
  readonly boss: MadeAdmin;
  readonly admin: MadeAdmin;
  readonly support: MadeAdmin;
  /** The access token, which nobody is to see. */
  readonly token: string;
  /** Serves the API once more, as another process does. Returns the address. */
  serve(on?: ServedOn): Promise<string>;
  /** Calls as the operator with this token, or as nobody. */
  as(credential?: string): Caller;
  /** As the super admin, or with another caller. */
  deploy(target?: unknown, call?: Caller): Promise<Answer>;
  fault(operation: string, kind: string, more?: object): Promise<unknown>;
  /** The dispatches that the sandbox received, as its journal has them. */
  sent(): Promise<readonly unknown[]>;
  triggers(): ReturnType<TestSystem['db']['deployTrigger']['findMany']>;
  /** The audit rows of the request with this answer, in order. */
  audited(answer: Answer): ReturnType<TestSystem['db']['auditLog']['findMany']>;
  /** Runs a pass of the sweep over undecided triggers, with another CI system if one is given. */
  decide(changes?: { readonly ci: Ci | undefined }): Promise<void>;
  /** The adapter of the API and of the sweep. */
  ci(): Ci;
  /** As though every trigger had been so many milliseconds earlier, in real time. */
  age(ms: number): Promise<unknown>;
  /** Empties the sandbox, ages every trigger, and serves an API whose circuit has seen nothing. */
  startOver(): Promise<void>;
  close(): Promise<void>;
}

const token = String(sandboxDefaults.githubToken);

/** Returns the details of a dispatch's error. */
export const detailsOf = ({ body }: Answer) => {
  const { error } = body as { error: { details: { correlationId: string; target: string } } };
  return error.details;
};

/** Opens the system of a test file. `startOver` goes before each test. */
export const openCi = async (): Promise<OpenCi> => {
  const system = await openTestSystem();
  const make = createFactories(system);
  const [boss, admin, support] = await Promise.all([
    make.admin('SUPER_ADMIN'),
    make.admin('ADMIN'),
    make.admin('SUPPORT'),
  ]);
  let served: Awaited<ReturnType<typeof serveAdminApi>>[] = [];
  let url = '';

  const serve: OpenCi['serve'] = async (on) => {
    const api = await serveAdminApi(system, on);
    served.push(api);
    return api.url;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(served.map((api) => api.close()));
    served = [];
  };
  const ci = (): Ci => {
    const made = served[0]?.api.ci;
    if (made === undefined) throw new Error('there is a token');
    return made;
  };
  const as: OpenCi['as'] = (credential) => bearerCaller(url, credential);
  const age: OpenCi['age'] = (ms) =>
    system.db
      .$executeRaw`UPDATE deploy_trigger SET at = at - ${ms}::int * interval '1 millisecond'`;

  return {
    system,
    boss,
    admin,
    support,
    token,
    serve,
    as,
    age,
    deploy: (target = 'backend', call = as(boss.token)) =>
      call('POST', '/devops/deploy', { target }),
    fault: (operation, fault, more = {}) =>
      system.sandbox.control('POST', '/faults', {
        collaborator: 'github',
        operation,
        fault,
        ...more,
      }),
    async sent() {
      const path = '/journal?collaborator=github&operation=dispatch';
      const { body } = await system.sandbox.control('GET', path);
      return body['entries'] as unknown[]; // the journal's form is held by its own tests
    },
    decide: (changes = { ci: ci() }) =>
      runSweeps([createDecideDeployments({ ...system, ...changes })]),
    ci,
    triggers: () => system.db.deployTrigger.findMany({ orderBy: [{ at: 'desc' }, { id: 'desc' }] }),
    audited: ({ headers }) =>
      system.db.auditLog.findMany({
        where: { requestId: String(headers.get('x-request-id')) },
        orderBy: { seq: 'asc' },
      }),
    async startOver() {
      await system.sandbox.control('POST', '/reset');
      await age(3_600_000);
      await stop();
      url = await serve();
    },
    close: () => system.close(),
  };
};
