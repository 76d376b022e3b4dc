import { createCi } from '../../src/adapters/ci/create-ci.ts';
import type { Closable } from '../../src/adapters/adapter-deps.ts';
import type { Ci } from '../../src/adapters/ci/port.ts';
import { sandboxDefaults } from '../../src/apps/sandbox/sandbox-options.ts';
import { createAdmins } from '../../src/modules/admins/index.ts';
import { createCiAdmin } from '../../src/modules/ci/index.ts';
import { bearerCaller, type Answer, type Caller } from './caller.ts';
import { createFactories, type MadeAdmin } from './factories.ts';
import { openKit, type Kit } from './open-kit.ts';

/** The routes of deployments on stores of their own, with the real adapter against the sandbox. */
export interface OpenCi {
  readonly kit: Kit;
  readonly boss: MadeAdmin;
  readonly admin: MadeAdmin;
  readonly support: MadeAdmin;
  /** The access token, which nobody is to see. */
  readonly token: string;
  /** Serves the routes once more, on other parts; answers the address. */
  serve(changes?: Partial<ServedParts>): Promise<string>;
  /** Calls as the operator with this token, or as nobody. */
  as(credential?: string): Caller;
  /** As the super admin, or with another caller. */
  deploy(target?: unknown, call?: Caller): Promise<Answer>;
  fault(operation: string, kind: string, more?: object): Promise<unknown>;
  /** The dispatches that the sandbox received, as its journal has them. */
  sent(): Promise<readonly unknown[]>;
  triggers(): ReturnType<Kit['db']['deployTrigger']['findMany']>;
  /** The audit rows of the request with this answer, in order. */
  audited(answer: Answer): ReturnType<Kit['db']['auditLog']['findMany']>;
  /** As though every trigger had been so many milliseconds earlier, in real time. */
  age(ms: number): Promise<unknown>;
  /** An empty sandbox, no trigger of the last hour, an adapter whose circuit has seen nothing. */
  startOver(): Promise<void>;
  close(): Promise<void>;
}

interface ServedParts {
  readonly ci: Ci | undefined;
  readonly redis: Kit['redis'];
  readonly inTransaction: Kit['inTransaction'];
}

const token = String(sandboxDefaults.githubToken);

const openAdapter = (kit: Kit): Ci & Closable => {
  const made = createCi(
    {
      APP_MODE: 'test',
      GITHUB_API_URL: `${kit.sandbox.url}/github`,
      GITHUB_TOKEN: token,
      GITHUB_OWNER: 'digital-gold',
      GITHUB_REPOSITORY: 'service',
    },
    { clock: kit.clock, logger: kit.logger },
  );
  if (made === undefined) throw new Error('there is a token');
  return made;
};

/** Returns the details of a dispatch's error. */
export const detailsOf = ({ body }: Answer) => {
  const { error } = body as { error: { details: { correlationId: string; target: string } } };
  return error.details;
};

/** Opens the kit of one test file; `startOver` goes before each test. */
export const openCi = async (): Promise<OpenCi> => {
  const kit = await openKit();
  const make = createFactories(kit);
  const [boss, admin, support] = await Promise.all([
    make.admin('SUPER_ADMIN'),
    make.admin('ADMIN'),
    make.admin('SUPPORT'),
  ]);
  let ci = openAdapter(kit);
  let url = '';

  const serve: OpenCi['serve'] = (changes = {}) => {
    const { guard } = createAdmins({ ...kit, ...changes, tokenTtlSeconds: 600 });
    const { adminRoutes: routes } = createCiAdmin({ ...kit, ci, ...changes });
    return kit.serve({ prefix: '/v1', routes, guard });
  };
  const as: OpenCi['as'] = (credential) => bearerCaller(url, credential);
  const age: OpenCi['age'] = (ms) =>
    kit.db.$executeRaw`UPDATE deploy_trigger SET at = at - ${ms}::int * interval '1 millisecond'`;

  return {
    kit,
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
      kit.sandbox.control('POST', '/faults', {
        collaborator: 'github',
        operation,
        fault,
        ...more,
      }),
    async sent() {
      const path = '/journal?collaborator=github&operation=dispatch';
      const { body } = await kit.sandbox.control('GET', path);
      return body['entries'] as unknown[]; // the journal's form is held by its own tests
    },
    triggers: () => kit.db.deployTrigger.findMany({ orderBy: { at: 'desc' } }),
    audited: ({ headers }) =>
      kit.db.auditLog.findMany({
        where: { requestId: String(headers.get('x-request-id')) },
        orderBy: { seq: 'asc' },
      }),
    async startOver() {
      await kit.sandbox.control('POST', '/reset');
      await age(3_600_000);
      await ci.close();
      ci = openAdapter(kit);
      url = await serve();
    },
    async close() {
      await ci.close();
      await kit.close();
    },
  };
};
