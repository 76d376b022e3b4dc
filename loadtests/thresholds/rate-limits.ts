import { apis } from '../lib/apis.ts';
import type { Rule } from '../lib/rules.ts';
import type { ApiName, Settings } from '../lib/settings.ts';

/** The observations of one client, each `rate==1`: never once otherwise. */
export const observations = [
  'admitted_within_limit',
  'refused_beyond_limit',
  'limit_headers',
  'refusal_envelope',
  'refusal_retry_after',
  'no_server_error',
  'exempt_never_refused',
  'exempt_not_counted',
  'forged_address_refused',
  'neighbour_untouched',
  'shut_until_reset',
  'window_reopened',
  'spent_in_time',
] as const;
export type Observation = (typeof observations)[number];

const words = (api: ApiName, windowSeconds: number): Readonly<Record<Observation, string>> => {
  const { limit } = apis[api];
  return {
    admitted_within_limit: `the first ${limit} requests of a client in ${windowSeconds} s pass`,
    refused_beyond_limit: 'those after them are 429',
    limit_headers: 'RateLimit and RateLimit-Policy say the limit and what is left',
    refusal_envelope: 'a 429 says RATE_LIMITED in the envelope',
    refusal_retry_after: 'a 429 has Retry-After, within the window',
    no_server_error: 'no answer is a 5xx, and none is missing',
    exempt_never_refused: 'exempt routes are never 429',
    exempt_not_counted: 'exempt routes do not count towards the budget',
    forged_address_refused: 'a forged client address gives no fresh budget',
    neighbour_untouched: 'another client has its whole budget meanwhile',
    shut_until_reset: 'it stays 429 until shortly before Retry-After',
    window_reopened: 'after Retry-After the whole budget is available again',
    spent_in_time: 'the budget was spent fast enough to measure it',
  };
};

/** Returns the rules of the rate limits; `clients` is how many journeys must finish at each API. */
export const rateLimitRules = (settings: Settings, clients: number): Rule[] =>
  settings.apis.flatMap((api) => {
    const tag = { name: 'api', value: api };
    const says = words(api, settings.windowSeconds);
    const seen = observations.filter(
      // One client cannot be its own neighbour.
      (name) => settings.hop === 'played' || name !== 'neighbour_untouched',
    );
    return [
      ...seen.map((metric) => ({ metric, tag, expression: 'rate==1', says: says[metric] })),
      {
        metric: 'clients_finished',
        tag,
        expression: `count==${clients}`,
        says: `all ${clients} clients finished`,
      },
    ];
  });
