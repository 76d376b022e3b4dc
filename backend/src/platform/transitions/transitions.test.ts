import { describe, expect, it } from 'vitest';
import {
  actorKindOf,
  allowsTransition,
  transition,
  transitionMany,
  tryTransition,
  type TransitionTable,
} from './transitions.ts';

type State = 'OPEN' | 'PAID' | 'CLOSED';

const table: TransitionTable<State, 'gateway' | 'admin'> = {
  OPEN: {
    PAID: { allowedActors: ['gateway'], reason: 'the amount was captured' },
    CLOSED: { allowedActors: ['gateway', 'admin'], reason: 'it was given up' },
  },
  PAID: { CLOSED: { allowedActors: ['admin'], reason: 'it was paid back' } },
  CLOSED: {},
};

interface Line {
  readonly level: 'info' | 'error';
  readonly fields: object;
  readonly message: string;
}

const openMachine = () => {
  const lines: Line[] = [];
  const logger = {
    info: (fields: object, message: string) => lines.push({ level: 'info', fields, message }),
    error: (fields: object, message: string) => lines.push({ level: 'error', fields, message }),
  };
  return { lines, machine: { name: 'test order', idField: 'orderId', table, logger } };
};

const never = () => Promise.reject(new Error('must not be called'));

const request = {
  id: 'one',
  from: 'OPEN',
  to: 'PAID',
  actor: 'gateway:sandbox',
  cause: 'payment.captured',
} as const;

describe('the table', () => {
  it('is matched by the kind of the actor', () => {
    expect(actorKindOf('gateway:sandbox')).toBe('gateway');
    expect(actorKindOf('worker')).toBe('worker');
    expect(allowsTransition(table, request)).toBe(true);
    expect(allowsTransition(table, { ...request, actor: 'admin:1' })).toBe(false);
    expect(allowsTransition(table, { ...request, from: 'CLOSED' })).toBe(false);
  });
});

describe('a transition', () => {
  it('updates, then writes the history, then logs', async () => {
    const { machine, lines } = openMachine();
    const steps: string[] = [];
    await transition(machine, {
      ...request,
      update: async () => {
        steps.push('update');
        return 1;
      },
      recordHistory: async () => {
        steps.push('history');
      },
    });
    expect(steps).toEqual(['update', 'history']);
    expect(lines).toMatchObject([{ level: 'info', fields: { orderId: 'one', to: 'PAID' } }]);
  });

  it('is refused and logged before anything is written when the table lacks it', async () => {
    const { machine, lines } = openMachine();
    const refused = transition(machine, {
      ...request,
      actor: 'admin:1',
      update: never,
    });
    await expect(refused).rejects.toMatchObject({
      code: 'ILLEGAL_TRANSITION',
      details: { status: 'OPEN', from: 'OPEN', to: 'PAID' },
    });
    expect(lines).toMatchObject([{ level: 'error', fields: { actor: 'admin:1' } }]);
  });

  it('is refused and leaves no history when the row was in another state', async () => {
    const { machine, lines } = openMachine();
    const lost = transition(machine, {
      ...request,
      update: () => Promise.resolve(0),
      recordHistory: never,
    });
    await expect(lost).rejects.toMatchObject({ code: 'ILLEGAL_TRANSITION' });
    expect(lines).toMatchObject([{ fields: { why: 'the row was in another state' } }]);
  });
});

describe('a transition that may come too late', () => {
  it('says whether it happened', async () => {
    const { machine, lines } = openMachine();
    expect(await tryTransition(machine, { ...request, update: async () => 1 })).toBe(true);
    const late = { ...request, update: async () => 0, recordHistory: never };
    expect(await tryTransition(machine, late)).toBe(false);
    expect(lines).toMatchObject([{ level: 'info' }]);
  });

  it('is held against the table all the same', async () => {
    const { machine, lines } = openMachine();
    const refused = tryTransition(machine, { ...request, actor: 'admin:1', update: never });
    await expect(refused).rejects.toMatchObject({ code: 'ILLEGAL_TRANSITION' });
    expect(lines).toMatchObject([{ level: 'error', fields: { orderId: 'one' } }]);
  });
});

describe('a transition of many rows', () => {
  const closing = { from: ['OPEN', 'PAID'], to: 'CLOSED', cause: 'given up' } as const;

  it('returns and logs how many there were', async () => {
    const { machine, lines } = openMachine();
    const by = { ...closing, actor: 'admin:1', of: { ownerId: 'two' } };
    expect(await transitionMany(machine, { ...by, update: async () => 3 })).toBe(3);
    expect(await transitionMany(machine, { ...by, update: async () => 0 })).toBe(0);
    expect(lines).toMatchObject([
      { level: 'info', fields: { count: 3, to: 'CLOSED', ownerId: 'two' } },
    ]);
  });

  it('is refused when the table lacks it from one of the states', async () => {
    const { machine, lines } = openMachine();
    const by = { ...closing, actor: 'gateway:sandbox' };
    const refused = transitionMany(machine, { ...by, update: never });
    await expect(refused).rejects.toMatchObject({ code: 'ILLEGAL_TRANSITION' });
    expect(lines).toMatchObject([{ level: 'error', fields: { from: ['OPEN', 'PAID'] } }]);
  });
});
