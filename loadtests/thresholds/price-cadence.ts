import type { Rule } from '../lib/rules.ts';

/** The observations of one socket, each `rate==1`: never once otherwise. */
export const observations = {
  feed_joined: 'every socket could join',
  feed_held: 'no socket was cut off',
  feed_snapshot: 'every socket got one price_snapshot',
  feed_message_valid: 'every message is a whole price with its seq',
  feed_mark_heard: 'every mark brought a price_update',
  feed_mark_once: 'no mark brought two price_updates',
  feed_spread_right: 'nobody sells above what others buy at',
  feed_price_fresh: 'the provider was asked for every price at its mark',
  feed_price_moves: 'the price did not stand still',
  feed_no_gap: 'no seq is missing between two updates',
  feed_no_repeat: 'no seq came twice or went back',
} as const;
export type Observation = keyof typeof observations;

interface CadenceLimits {
  /** The number of sockets that must listen to the end. */
  readonly sockets: number;
  readonly latenessP95Ms: number;
  readonly latenessMaxMs: number;
  /** The amounts need not change. */
  readonly priceMayStand: boolean;
  /** Of so many marks of a socket so many may be missed. */
  readonly marks: number;
  readonly missedMarks: number;
}

/** A mark without a tick is none that a client could miss: its price is that of the next one. */
const expressionOf = (metric: string, { marks, missedMarks }: CadenceLimits): string =>
  metric === 'feed_mark_heard' && missedMarks > 0
    ? `rate>=${(marks - missedMarks) / marks}`
    : 'rate==1';

/** Returns the rules of the feed. */
export const priceCadenceRules = (limits: CadenceLimits): Rule[] => [
  ...Object.entries(observations)
    .filter(([metric]) => metric !== 'feed_price_moves' || !limits.priceMayStand)
    .map(([metric, says]) => ({ metric, expression: expressionOf(metric, limits), says })),
  {
    metric: 'feed_lateness',
    expression: `p(95)<${limits.latenessP95Ms}`,
    says: '95 of 100 updates arrive shortly after their mark',
  },
  {
    metric: 'feed_lateness',
    expression: `max<${limits.latenessMaxMs}`,
    says: 'no update arrives long after its mark',
  },
  {
    metric: 'sockets_finished',
    expression: `count==${limits.sockets}`,
    says: `all ${limits.sockets} sockets listened to the end`,
  },
];
