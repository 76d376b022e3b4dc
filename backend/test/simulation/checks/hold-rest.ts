import { compareBooks } from '../../support/invariants-books.ts';
import { Refuted, type Story } from '../story.ts';
import { holdSnapshot } from './hold-snapshot.ts';
import { holdRules } from './rules.ts';

/** Nothing may be left of these when nobody misbehaves and time has passed. */
const leftOvers: Readonly<Record<string, string>> = {
  'a job on the queue': `SELECT * FROM graphile_worker._private_jobs LIMIT 1`,
  'a call to the gold provider without an outcome': `
    SELECT c.* FROM provider_operation c WHERE c.status = 'INTENDED' LIMIT 1`,
  'a sale without an outcome, and without a review': `
    SELECT id, status FROM gold_order WHERE type = 'SELL'
      AND (status = 'PENDING' OR (status = 'VERIFIED' AND manual_review_code IS NULL)) LIMIT 1`,
  'an order that waits for gold': `
    SELECT id, status FROM gold_order WHERE type <> 'SELL'
      AND status IN ('PAID', 'RETRY_PENDING') LIMIT 1`,
  'an event of a payment that waits': `
    SELECT id, event_type, last_error FROM webhook_event WHERE status = 'PENDING' LIMIT 1`,
  'a job that is due': `
    SELECT s.key, s.due_at FROM scheduled_job s WHERE s.due_at < $1::timestamptz LIMIT 1`,
};

const holdNothingLeft = async ({ system }: Story): Promise<void> => {
  for (const [what, sql] of Object.entries(leftOvers)) {
    const values = sql.includes('$1') ? [system.clock.now()] : [];
    const { rows } = await system.client.query(sql, values);
    if (rows.length > 0) throw new Refuted(`at rest: ${what}`, JSON.stringify(rows[0]));
  }
};

/** The event's rule is of a sandbox that delivers by itself: here the story delivers. */
const storyOwn = ['a delivered event is in the inbox'];

/**
 * Rules on captures. They do not bind captures that were never reported and came late, nor those
 * whose gateway reported another amount: these are recorded as reported, and under review.
 */
const ofCaptures = [
  'a captured payment is recorded here as it is at the gateway',
  'the rupees recorded as captured are all that the gateway captured',
];

const holdBooks = async ({ system, world }: Story): Promise<void> => {
  // A payment is looked for while its order waits for a payment. Reconciliation finds any further
  // payment.
  const isUnheard = world.buys.some(({ payments }) => {
    const captured = payments.filter(({ outcome }) => outcome === 'captured');
    return captured.some(
      ({ toldAt, late }) => toldAt === undefined && (late || captured.length > 1),
    );
  });
  const isUnknown = isUnheard || world.toldWrongAmounts;
  const passedOver = new Set([...storyOwn, ...(isUnknown ? ofCaptures : [])]);
  const found = await compareBooks(system.client, system.sandboxUrl);
  const first = found.find(({ says }) => !passedOver.has(says));
  if (first === undefined) return;
  throw new Refuted(`books ${first.invariant}: ${first.says}`, JSON.stringify(first.row));
};

/** Checks whose findings a story may have: a person has to do something, and the story did not. */
const openMatters = new Set(['manual_review_open', 'payout_stuck', 'gateway_capture_missing']);

const holdReconciliation = async ({ sessions }: Story): Promise<void> => {
  const answer = await sessions.operator('ADMIN', 'GET', '/v1/reconciliation?windowHours=720');
  if (answer.status !== 200) throw new Refuted('reconciliation', JSON.stringify(answer.body));
  for (const check of answer.body.checks) {
    if (check.status === 'OK' || openMatters.has(check.id)) continue;
    throw new Refuted(`reconciliation ${check.id}`, JSON.stringify(check));
  }
};

/** Holds everything to the story when it has come to rest. @throws Refuted */
export const holdRest = async (story: Story): Promise<void> => {
  await holdRules(story.system.client);
  await holdNothingLeft(story);
  const world = { ...story.world, now: story.system.clock.now().getTime() };
  holdSnapshot(world, story.seen, true);
  await holdBooks(story);
  await holdReconciliation(story);
};
