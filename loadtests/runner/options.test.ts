import { describe, expect, it } from 'vitest';
import { readRunnerOptions } from './options.ts';

const read = (args: readonly string[], env = {}) => readRunnerOptions(args, env, '/repository');

describe('readRunnerOptions', () => {
  it('runs a smoke of both suites against the stack when nothing is said', () => {
    const options = {
      suites: ['rate-limits', 'price-cadence'],
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

  it.each([
    [['--suite', 'prices'], 'no suite "prices": rate-limits, price-cadence'],
    [['--profile', 'huge'], 'no profile "huge": smoke, load, soak'],
    [['--speed', '9'], '--speed'],
  ])('refuses %j', (args, message) => {
    expect(() => read(args)).toThrow(message);
  });
});
