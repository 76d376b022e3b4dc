import { expect, it } from 'vitest';
import { allowsTransition } from '../../platform/transitions/transitions.ts';
import { quoteTransitions } from './quotes.states.ts';
import { quoteStatuses } from './quotes.types.ts';

const actors = ['customer:0190', 'worker', 'admin:0190', 'gateway:sandbox'];

it('a quote leaves ACTIVE once, by its customer or at the end of its life, and never returns', () => {
  const allowed = quoteStatuses.flatMap((from) =>
    quoteStatuses.flatMap((to) =>
      actors
        .filter((actor) => allowsTransition(quoteTransitions, { from, to, actor }))
        .map((actor) => `${from}>${to} ${actor}`),
    ),
  );
  expect(allowed).toEqual([
    'ACTIVE>CONSUMED customer:0190',
    'ACTIVE>EXPIRED customer:0190',
    'ACTIVE>EXPIRED worker',
  ]);
});
