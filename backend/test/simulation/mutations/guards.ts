/** A guard of money code, and the replacement of a text in a file that breaks it. */
export interface Mutation {
  readonly name: string;
  /** The path in the backend's folder. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

const buying = 'src/modules/buying';
const reviews = 'src/modules/order-reviews';
const payments = 'src/modules/payments';
const payouts = 'src/modules/payouts';
const holdings = 'src/modules/holdings';

/** Guards of money code: locks, checks of states, roundings, keys. */
export const guards: readonly Mutation[] = [
  {
    name: 'a holding is locked by no row lock',
    file: `${holdings}/holdings.store.ts`,
    find: '      WHERE user_id = ${userId}::uuid\n      FOR UPDATE`',
    replace: '      WHERE user_id = ${userId}::uuid`',
  },
  {
    name: 'more grams are reserved than are available',
    file: `${holdings}/holdings.store.ts`,
    find: ' AND balance - reserved >= ${grams}::numeric\n    RETURNING',
    replace: '\n    RETURNING',
  },
  {
    name: 'a failed sale keeps its reservation',
    file: `${holdings}/review-reservations.store.ts`,
    find: '  await releaseGrams(',
    replace: '  if (Number.MAX_SAFE_INTEGER < 0) await releaseGrams(',
  },
  {
    name: 'the daily limit is not counted as the order is written',
    file: `${buying}/buy.ts`,
    find: '  requireWithinDailyLimit({ boughtPaise, amountPaise: quote.totalPaise }, given.limits);\n',
    replace: '  void boughtPaise;\n',
  },
  {
    name: 'the largest buy has no limit',
    file: 'src/modules/quotes/quotes.rules.ts',
    find: "  if (buy.amountPaise > limits.maxBuyPaise) throw limitExceeded('maxBuyPaise', limits);\n",
    replace: '',
  },
  {
    name: 'a known capture counts again',
    file: `${payments}/decide-payment.ts`,
    find: "  if (isKnownCapture(facts.known)) return { kind: 'ALREADY_KNOWN' };\n",
    replace: '  void isKnownCapture;\n',
  },
  {
    name: 'another amount than the asked one pays an order',
    file: `${payments}/decide-payment.ts`,
    find: 'if (!otherCurrency && payment.amountPaise === paymentOrder.amountPaise) return undefined;',
    replace: 'if (!otherCurrency) return undefined;',
  },
  {
    name: 'another currency than the asked one pays an order',
    file: `${payments}/decide-payment.ts`,
    find: 'const otherCurrency = payment.currency !== paymentOrder.currency;',
    replace: "const otherCurrency = payment.currency === '';",
  },
  {
    name: 'a capture after the end of the lock pays an order',
    file: `${payments}/decide-payment.ts`,
    find: 'lockEndsAt !== null && payment.learnedAt >= lockEndsAt;',
    replace: 'lockEndsAt !== null && payment.learnedAt.getTime() < 0;',
  },
  {
    name: 'a second capture is taken for the first',
    file: `${payments}/decide-payment.ts`,
    find: '  if (isSecond) return secondCapture(facts);\n',
    replace: '  if (isSecond && facts.order.wasAllocated) return secondCapture(facts);\n',
  },
  {
    name: 'an earlier confirm is not asked about before the next',
    file: `${buying}/allocate-order.ts`,
    find: 'return toSend(held, latest !== undefined);',
    replace: 'return toSend(held, false);',
  },
  {
    name: 'an order is allocated whatever its status',
    file: `${buying}/allocate-order.ts`,
    find: '    if (!isAwaitingAllocation(status)) return skip(`it is ${status}`);\n',
    replace: '    void isAwaitingAllocation;\n',
  },
  {
    name: 'gold is confirmed after the end of the lock',
    file: `${buying}/allocate-order.ts`,
    find: 'if (held !== undefined && deps.clock.now() < held.order.lockEndsAt) return',
    replace: 'if (held !== undefined) return',
  },
  {
    name: 'an unknown status of a confirm counts as never bought',
    file: 'src/modules/provider-operations/confirm-call.ts',
    find: "  if (status.kind !== 'done') return { kind: 'UNKNOWN', reason };\n",
    replace: "  if (status.kind !== 'done') return { kind: 'REFUSED', code: 'FAILED', reason };\n",
  },
  {
    name: 'a payout is retried without asking about earlier attempts',
    file: `${payouts}/retry-payout.ts`,
    find: '  await requireNotPaid(deps, payoutId);\n',
    replace: '  void requireNotPaid;\n',
  },
  {
    name: 'of two retries at once both count',
    file: `${payouts}/retry-payout.ts`,
    find: '    if (!isUnchanged) throw notRetryable(payout);\n',
    replace: '    void isUnchanged;\n',
  },
  {
    name: 'every attempt of a payout has the same key',
    file: `${payouts}/dispatch-payout.ts`,
    find: "`${payoutId.replaceAll('-', '')}-${attemptNo}`",
    replace: "`${payoutId.replaceAll('-', '')}-${Math.min(1, attemptNo)}`",
  },
  {
    name: 'an operator approves beyond the cap',
    file: `${payouts}/payout-approval.ts`,
    find: "if (role === 'SUPER_ADMIN' || amountPaise <= payoutCapPaise) return;",
    replace: "if (role !== 'SUPPORT' || amountPaise <= payoutCapPaise) return;",
  },
  {
    name: 'gold value without tax is rounded down',
    file: 'src/money/breakdown.ts',
    find: 'paise(divideHalfUp(totalPaise * WHOLE_BPS, WHOLE_BPS + rateBps))',
    replace: 'paise(divideFloor(totalPaise * WHOLE_BPS, WHOLE_BPS + rateBps))',
  },
  {
    name: 'grams are rounded up',
    file: 'src/money/prices.ts',
    find: 'grams(divideFloor(amount * UNITS_PER_GRAM, pricePerGramPaise))',
    replace: 'grams(divideFloor(amount * UNITS_PER_GRAM, pricePerGramPaise) + 9999n)',
  },
  {
    name: 'a key with another payload is a repeat',
    file: 'src/platform/idempotency/idempotency.ts',
    find: "    if (row.payloadHash !== hash) throw new AppError('IDEMPOTENCY_KEY_REUSED');\n",
    replace: '    void hash;\n',
  },
  {
    name: 'a sale goes to an account that is not verified',
    file: 'src/modules/banking/bank-accounts.store.ts',
    find: "if (account.status !== 'VERIFIED') throw",
    replace: "if (account.status === 'FAILED') throw",
  },
  {
    name: 'the gate of buying is not asked',
    file: `${buying}/buying.customer.routes.ts`,
    find: 'gate: (isReady) => deps.gates.requireBuyOpen(isReady),',
    replace: 'gate: async () => undefined,',
  },
  {
    name: 'the grams of a reversed payment are not reserved',
    file: `${payments}/apply-reversal.ts`,
    find: 'reserved: await reserveForReview(tx, reservation)',
    replace: 'reserved: ordered',
  },
  {
    name: 'a review ends as FAILED over a payment that no event has reported',
    file: `${reviews}/resolution.ts`,
    find: '  if (!(await pollForResolution(payments, orderId))) throw',
    replace: "  if (orderId === '') throw",
  },
];
