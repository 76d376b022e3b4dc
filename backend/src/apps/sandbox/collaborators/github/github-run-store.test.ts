import { expect, it } from 'vitest';
import { addMs } from '../../../../platform/clock/clock.ts';
import { createManualClock } from '../../../../platform/clock/manual-clock.ts';
import { createGithubRunStore } from './github-run-store.ts';

const settleMs = 900;
const given = {
  owner: 'digital-gold',
  repo: 'service',
  workflow: 'deploy-backend.yml',
  title: 'Deploy backend',
  correlationId: null,
  branch: 'main',
};

const open = () => {
  const clock = createManualClock();
  const store = createGithubRunStore(clock, settleMs);
  const run = store.add(given);
  const createdAt = clock.now();
  return { clock, store, run, at: (ms: number) => addMs(createdAt, ms).toISOString() };
};

it('a run waits for a third of its time, runs for the rest, and ends well by itself', () => {
  const { clock, store, run, at } = open();
  const queued = { status: 'queued', conclusion: null, updatedAt: at(0) };
  expect(store.stateOf(run)).toEqual(queued);
  clock.advance(299);
  expect(store.stateOf(run)).toEqual(queued);
  clock.advance(1);
  const running = { status: 'in_progress', conclusion: null, updatedAt: at(300) };
  expect(store.stateOf(run)).toEqual(running);
  clock.advance(599);
  expect(store.stateOf(run)).toEqual(running);
  clock.advance(1);
  const completed = { status: 'completed', conclusion: 'success', updatedAt: at(900) };
  expect(store.stateOf(run)).toEqual(completed);
  clock.advance(86_400_000);
  expect(store.stateOf(run)).toEqual(completed);
});

it('a run ends as it is told, and stays so', () => {
  const { clock, store, run, at } = open();
  clock.advance(10);
  const ended = store.end(run, 'failure');
  clock.advance(settleMs);
  const completed = { status: 'completed', conclusion: 'failure', updatedAt: at(10) };
  expect(store.stateOf(ended)).toEqual(completed);
  expect(store.all()).toEqual([ended]);
});
