import { describe, expect, it } from 'vitest';
import { readRunnerOptions } from './options.ts';

const read = (args: readonly string[], env = {}) => readRunnerOptions(args, env, '/repository');

describe('readRunnerOptions', () => {
  it('runs a smoke of all suites against the stack when nothing is said', () => {
    const options = {
      suites: ['rate-limits', 'price-cadence', 'journeys'],
      profile: 'smoke',
      endpointsFile: '/repository/.dev/endpoints.json',
    };
    expect(read([])).toEqual(options);
    expect(read(['--suite', '', '--profile', ''], { STACK_HOME: '' })).toEqual(options);
  });

  it('takes a suite, a profile and another stack', () => {
    expect(read(['--suite', 'price-cadence', '--profile', 'soak'], { STACK_HOME: '.dev/second' }))
      // one expectation of three fields
      .toEqual({
        suites: ['price-cadence'],
        profile: 'soak',
        endpointsFile: '/repository/.dev/second/endpoints.json',
      });
    expect(read([], { STACK_HOME: '/elsewhere' }).endpointsFile).toBe('/elsewhere/endpoints.json');
  });

  it('runs the suites that have the profile', () => {
    expect(read(['--profile', 'spike']).suites).toEqual(['journeys']);
  });

  it.each([
    [['--suite', 'prices'], 'no suite "prices": rate-limits, price-cadence, journeys'],
    [['--profile', 'huge'], 'no profile "huge": smoke, load, spike, soak, breakpoint'],
    [['--speed', '9'], '--speed'],
    [
      ['--suite', 'rate-limits', '--profile', 'spike'],
      'rate-limits has no profile "spike": smoke, load, soak',
    ],
  ])('refuses %j', (args, message) => {
    expect(() => read(args)).toThrow(message);
  });
});
