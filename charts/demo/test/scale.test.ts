import { expect, it } from 'vitest';
import { describeState, readAutoscaler } from '../src/scale/read-autoscaler.ts';
import type { Kubectl } from '../src/tools/create-kubectl.ts';

/** A kubectl that has these two objects. */
const kubectlWith = (autoscaler: object, deployment: object): Kubectl => ({
  base: [],
  run: () => Promise.resolve(''),
  attempt: () => Promise.resolve({ code: 0, stdout: '', stderr: '' }),
  read: async ([, kind], schema) => {
    await Promise.resolve();
    return schema.parse(kind === 'deployment' ? deployment : autoscaler);
  },
  readSecret: () => Promise.resolve(''),
});

it('reads an autoscaler that has measured its pods', async () => {
  const current = { averageUtilization: 143, averageValue: '214m' };
  const status = {
    desiredReplicas: 4,
    currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current } }],
  };
  const kubectl = kubectlWith({ status }, { status: { replicas: 2, readyReplicas: 2 } });
  const state = await readAutoscaler({ kubectl });
  expect(state).toEqual({ pods: 2, ready: 2, wanted: 4, percent: 143 });
  expect(describeState(state)).toBe('2 pods, all ready, 4 wanted, at 143 %');
});

it('reads one that has measured nothing yet', async () => {
  const kubectl = kubectlWith({ status: { currentMetrics: null } }, { status: {} });
  const state = await readAutoscaler({ kubectl });
  expect(state).toEqual({ pods: 0, ready: 0, wanted: 0, percent: undefined });
  expect(describeState({ ...state, pods: 3, wanted: 3, ready: 2 })).toBe(
    '3 pods, 2 ready, at an unknown %',
  );
});
