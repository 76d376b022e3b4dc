import type { AdminClient } from '@digital-gold/client';
import { makeUpNumbers } from '../demo-numbers.ts';
import type { Demo, Step } from '../demo.types.ts';
import { expectRefusal } from '../expect-answer.ts';
import type { LocalProcesses } from '../local-processes.ts';
import { showPaise } from '../show.ts';
import { expectThat } from '../step-failure.ts';
import { signInOperator } from './sign-in-operator.ts';

/** Makes another super admin, as an operator with a shell would, for as long as `act` takes. */
const withSecond = async <T>(
  demo: Demo,
  local: LocalProcesses,
  act: (second: { readonly email: string; readonly password: string }) => Promise<T>,
): Promise<T> => {
  const second = {
    email: `second-${demo.random.uuid()}@example.test`,
    password: `demo-${demo.random.uuid()}`,
  };
  const { email, password } = second;
  const create = ['admin', 'create', '--email', email, '--role', 'SUPER_ADMIN'];
  await local.operate(create, password);
  try {
    return await act(second);
  } finally {
    await local.operate(['admin', 'deactivate', '--email', email], '');
  }
};

/** Asks for other limits: a request that waits, and nothing is changed. Returns its id. */
const askFor = async (by: AdminClient, maxBuyPaise: number): Promise<string> => {
  const { body: before } = await by.get('/v1/config/limits');
  const { status, body } = await by.put('/v1/config/limits', {
    body: { ...before, maxBuyPaise },
  });
  expectThat(status === 202 && 'approvalId' in body, `the change was answered with ${status}`);
  const { body: after } = await by.get('/v1/config/limits');
  expectThat(after.maxBuyPaise === before.maxBuyPaise, 'the limit changed without an approval');
  return body.approvalId;
};

const approve = (by: AdminClient, approvalId: string) =>
  by.post('/v1/approvals/{id}/approve', { path: { id: approvalId } });

/** Two super admins, at an admin API that lists limits. */
const playTwo = async (demo: Demo, first: AdminClient, second: AdminClient): Promise<string[]> => {
  const { body: limits } = await first.get('/v1/config/limits');
  const lowered = limits.maxBuyPaise - 100;
  const id = await askFor(first, lowered);
  await expectRefusal(403, 'OTHER_PERSON_REQUIRED', approve(first, id));
  await approve(second, id);
  const visitor = demo.visitor.customer(makeUpNumbers(demo.random).ip);
  const { body: shown } = await visitor.get('/v1/config');
  expectThat(shown.limits.maxBuyPaise === lowered, 'customers see another limit');
  await expectRefusal(409, 'ILLEGAL_TRANSITION', approve(second, id));
  await approve(first, await askFor(second, limits.maxBuyPaise));
  return [
    `${showPaise(limits.maxBuyPaise)} a buy to ${showPaise(lowered)}: 202, and nothing changes`,
    'whoever asked may not approve: 403 OTHER_PERSON_REQUIRED; the other one may, once',
    'customers see the new limit at once; the way back takes two as well',
  ];
};

/**
 * On a stack of one's own one person plays everybody, so it lists no action. This step starts an
 * admin API that does, beside it.
 */
export const askSecondPerson: Step = {
  title: 'In a house that asks for it, a second super admin approves new limits',
  async run(demo) {
    const { local } = demo;
    if (local === undefined) return ['left out: the processes are not on this machine'];
    return withSecond(demo, local, async ({ email, password }) => {
      const strict = await local.startAdmin({ SECOND_OPERATOR_ACTIONS: 'limits' });
      try {
        const { operator } = await signInOperator(demo, 'SUPER_ADMIN');
        const visitor = demo.visitor.admin(makeUpNumbers(demo.random).ip, strict.url);
        const { body } = await visitor.post('/v1/auth/login', { body: { email, password } });
        const first = visitor.with({ token: operator.accessToken });
        return await playTwo(demo, first, visitor.with({ token: body.accessToken }));
      } finally {
        await strict.stop();
      }
    });
  },
};
