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
  'answered_as_expected',
  'exempt_never_refused',
  'exempt_not_counted',
  'forged_address_refused',
  'neighbour_untouched',
  'replicas_count_so',
  'ipv6_by_56',
  'shut_until_reset',
  'window_reopened',
  'spent_in_time',
] as const;
export type Observation = (typeof observations)[number];

const words = (
  api: ApiName,
  { windowSeconds, cache }: Settings,
): Readonly<Record<Observation, string>> => {
  const { limit } = apis[api];
  return {
    admitted_within_limit: `the first ${limit} requests of a client in ${windowSeconds} s pass`,
    refused_beyond_limit: 'those after them are 429',
    limit_headers: 'RateLimit and RateLimit-Policy say the limit and what is left',
    refusal_envelope: 'a 429 says RATE_LIMITED in the envelope',
    refusal_retry_after: 'a 429 has Retry-After, within the window',
    answered_as_expected: 'every admitted and exempt request has the status of its route',
    exempt_never_refused: 'exempt routes are never 429',
    exempt_not_counted: 'exempt routes do not count towards the budget',
    forged_address_refused: 'a forged client address gives no fresh budget',
    neighbour_untouched: 'another client has its whole budget meanwhile',
    replicas_count_so:
      cache === 'running'
        ? 'another replica refuses the client, too'
        : 'without the cache another replica counts by itself',
    ipv6_by_56: 'the addresses of an IPv6 /56 are one client, those of the next one another',
    shut_until_reset: 'it stays 429 until shortly before Retry-After',
    window_reopened: 'after Retry-After the whole budget is available again',
    spent_in_time: 'the budget was spent fast enough to measure it',
  };
};

/** One client cannot be its own neighbour, nor another IPv6 client. */
const isSeen = (name: Observation, api: ApiName, settings: Settings): boolean => {
  if (name === 'neighbour_untouched' || name === 'ipv6_by_56') return settings.hop === 'played';
  if (name !== 'replicas_count_so') return true;
  return api === 'customer' && settings.otherCustomerUrl !== undefined;
};

/** Returns the rules of the rate limits. `clients` is how many journeys must finish at each API. */
export const rateLimitRules = (settings: Settings, clients: number): Rule[] =>
  settings.apis.flatMap((api) => {
    const tag = { name: 'api', value: api };
    const says = words(api, settings);
    const seen = observations.filter((name) => isSeen(name, api, settings));
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
