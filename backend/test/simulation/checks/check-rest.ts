import { compareBooks } from '../../support/invariants-books.ts';
import { Refuted, type Story } from '../story.ts';
import { checkSnapshot } from './check-snapshot.ts';
import { checkRules } from './rules.ts';

/** Queries that must return no rows once no collaborator misbehaves and time has passed. */
const leftoverQueries: Readonly<Record<string, string>> = {
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

const checkNothingLeft = async ({ system }: Story): Promise<void> => {
  for (const [what, sql] of Object.entries(leftoverQueries)) {
    const values = sql.includes('$1') ? [system.clock.now()] : [];
    const { rows } = await system.client.query(sql, values);
    if (rows.length > 0) throw new Refuted(`at rest: ${what}`, JSON.stringify(rows[0]));
  }
};

/** The rule that does not apply here, since the story delivers the webhooks and not the sandbox. */
const inapplicableRules = ['a delivered event is in the inbox'];

/**
 * Rules on captures. They do not apply to captures that were never reported and came late. They
 * also do not apply to captures whose gateway reported another amount, which are recorded as
 * reported and under review.
 */
const captureRules = [
  'a captured payment is recorded here as it is at the gateway',
  'the rupees recorded as captured are all that the gateway captured',
];

const checkBooks = async ({ system, world }: Story): Promise<void> => {
  // The service looks for a payment only while its order waits for one. Reconciliation finds any
  // further payment.
  const hasUnreported = world.buys.some(({ payments }) => {
    const captured = payments.filter(({ outcome }) => outcome === 'captured');
    return captured.some(
      ({ toldAt, late }) => toldAt === undefined && (late || captured.length > 1),
    );
  });
  const mayDiffer = hasUnreported || world.toldWrongAmounts;
  const ignoredRules = new Set([...inapplicableRules, ...(mayDiffer ? captureRules : [])]);
  const found = await compareBooks(system.client, system.sandboxUrl);
  const first = found.find(({ says }) => !ignoredRules.has(says));
  if (first === undefined) return;
  throw new Refuted(`books ${first.invariant}: ${first.says}`, JSON.stringify(first.row));
};

/** Checks that may have findings in a story, because a person has to act and the story has not. */
const openMatters = new Set(['manual_review_open', 'payout_stuck', 'gateway_capture_missing']);

const checkReconciliation = async ({ sessions }: Story): Promise<void> => {
  const answer = await sessions.operator('ADMIN', 'GET', '/v1/reconciliation?windowHours=720');
  if (answer.status !== 200) throw new Refuted('reconciliation', JSON.stringify(answer.body));
  for (const check of answer.body.checks) {
    if (check.status === 'OK' || openMatters.has(check.id)) continue;
    throw new Refuted(`reconciliation ${check.id}`, JSON.stringify(check));
  }
};

/**
 * Checks everything once the story has come to rest.
 * @throws Refuted
 */
export const checkRest = async (story: Story): Promise<void> => {
  await checkRules(story.system.client);
  await checkNothingLeft(story);
  const world = { ...story.world, now: story.system.clock.now().getTime() };
  checkSnapshot(world, story.seen, true);
  await checkBooks(story);
  await checkReconciliation(story);
};
