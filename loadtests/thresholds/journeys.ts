import type { Rule } from '../lib/rules.ts';
import { journeys, type Journey, type JourneyProfile } from '../profiles/journeys.ts';

const done: Readonly<Record<Journey, string>> = {
  browse: 'visitors see the price and the catalogue',
  signIn: 'customers sign in by code',
  buy: 'purchases are paid, and their gold is allocated',
  sale: 'sales are paid out',
  plan: 'plans begin and end',
  jewellery: 'jewellery is ordered once, and cancelled',
  operators: 'operators read their lists',
  accountants: 'accountants read their registers',
};

/** Returns the rules of the journeys in a profile. */
export const journeyRules = ({
  requestP95Ms,
  patienceSeconds,
}: Pick<JourneyProfile, 'requestP95Ms' | 'patienceSeconds'>): Rule[] => [
  ...journeys.map((journey) => ({
    metric: 'journey_done',
    tag: { name: 'journey', value: journey },
    expression: 'rate==1',
    says: done[journey],
  })),
  {
    metric: 'answered_as_expected',
    expression: 'rate==1',
    says: 'every answer has the status of its request',
  },
  {
    metric: 'dropped_iterations',
    expression: 'count==0',
    says: 'every journey could begin at its time',
    mayBeMissing: true,
  },
  {
    metric: 'http_req_duration',
    tag: { name: 'part', value: 'house' },
    expression: `p(95)<${requestP95Ms}`,
    says: '95 of 100 requests are answered in time',
  },
  {
    metric: 'allocation_time',
    expression: `max<${patienceSeconds * 1000}`,
    says: 'a payment brings its gold by its webhook, before anything polls',
  },
  {
    metric: 'payout_time',
    expression: `max<${patienceSeconds * 1000}`,
    says: 'a sale brings its money by the webhook of its payout',
  },
  {
    metric: 'events_received',
    expression: 'rate==1',
    says: 'no webhook is lost: both events of every payment were received',
  },
  { metric: 'books_reconcile', expression: 'rate==1', says: 'reconciliation finds nothing new' },
  { metric: 'rules_hold', expression: 'rate==1', says: 'every rule of the database holds' },
];
