import { stripVTControlCharacters } from 'node:util';
import { ApiError } from '@digital-gold/client';
import { expect, it } from 'vitest';
import { createStepState, runSteps, type StepOf } from './run-steps.ts';

const step = (title: string, run: StepOf<string>['run']): StepOf<string> => ({ title, run });

const play = async (steps: readonly StepOf<string>[], colours = false) => {
  let printed = '';
  const hasPassed = await runSteps({
    context: 'the context',
    steps,
    write: (text) => {
      printed += text;
    },
    colours,
    explain: async () => ['more about it'],
  });
  return { hasPassed, printed };
};

it('the step runner prints each step as it begins, then its lines and its time', async () => {
  const steps = [step('One', async (context) => [context, 'a\nb']), step('Two', async () => [])];
  const { hasPassed, printed } = await play(steps);
  expect(hasPassed).toBe(true);
  expect(printed).toMatch(
    /^ 1 {2}One\n {4}the context\n {4}a\n {4}b\n {4}\d+\.\d s\n 2 {2}Two\n {4}\d+\.\d s\n\n/u,
  );
  expect(printed).toMatch(/All 2 steps passed, in \d+\.\d s\.\n$/u);
});

it('the step runner stops at the first failing step and prints the reason and the explanation', async () => {
  const fail = step('One', () => Promise.reject(new Error('it is broken')));
  const { hasPassed, printed } = await play([fail, step('Two', async () => ['never'])]);
  expect(hasPassed).toBe(false);
  expect(printed).toMatch(
    /^ 1 {2}One\n {4}FAILED: it is broken\n {4}more about it\n\nStopped at step 1 of 2, after \d/u,
  );
  expect(printed).not.toContain('never');
});

const refusal = (body: unknown): ApiError =>
  new ApiError(
    { call: 'GET /v1/price/current', baseUrl: 'http://gold.example' },
    new Response('', { status: 503 }),
    body,
  );

it.for([
  {
    body: { error: { code: 'PRICE_UNAVAILABLE', message: 'No price.', requestId: 'r-1' } },
    words: '503 PRICE_UNAVAILABLE: No price. (request r-1)',
  },
  { body: undefined, words: '503: the response of http://gold.example is not that of the API' },
])('the step runner names the request that was answered $words', async ({ body, words }) => {
  const { printed } = await play([step('One', () => Promise.reject(refusal(body)))]);
  expect(printed).toContain(`FAILED: GET /v1/price/current answered ${words}`);
});

const withoutTimes = (text: string): string => text.replaceAll(/\d+\.\d s/gu, '0.0 s');

it('the step runner prints the same text with and without colours', async () => {
  const steps = [step('One', async () => ['a'])];
  const { printed } = await play(steps, true);
  expect(printed).toContain('\u001b[1m 1  One\u001b[0m\n');
  const uncoloured = stripVTControlCharacters(printed);
  expect(withoutTimes(uncoloured)).toBe(withoutTimes((await play(steps)).printed));
});

it('the step runner returns what an earlier step saved, and throws when none did', () => {
  const state = createStepState<{ roll: string }>();
  expect(() => state.readState('roll')).toThrow('no step before this one saved "roll"');
  state.saveState('roll', 'x');
  expect(state.readState('roll')).toBe('x');
});
