/**
 * The result of polling for one row: its gateway answered, if only by refusing the query. It gave
 * no answer, or another worker has the row.
 */
export type PollResult = 'answered' | 'silent' | 'taken';

interface SweepByGatewayOptions<Row extends { readonly gateway: string }> {
  readonly signal: AbortSignal;
  /** The size of a batch. */
  readonly limit: number;
  /** Lists what is due and not of these gateways, polled longest ago first. */
  readonly list: (silentGateways: readonly string[]) => Promise<readonly Row[]>;
  /** Claims a row, which is not due after it, and queries its gateway. */
  readonly poll: (row: Row) => Promise<PollResult>;
}

/**
 * Polls the gateways for every row that is due, batch by batch. A gateway that gives no answer is
 * left until the next pass: its rows are not claimed, so that they come first then, and are no
 * longer listed, so that they hide no others'.
 */
export const sweepByGateway = async <Row extends { readonly gateway: string }>({
  signal,
  limit,
  list,
  poll,
}: SweepByGatewayOptions<Row>): Promise<void> => {
  const silent = new Set<string>();
  for (;;) {
    const due = await list([...silent]);
    let polled = 0;
    for (const row of due) {
      if (signal.aborted) return;
      if (silent.has(row.gateway)) continue;
      const result = await poll(row);
      if (result === 'silent') silent.add(row.gateway);
      if (result !== 'taken') polled += 1;
    }
    // A polled row is not due any more. Where no row of a batch was polled, another worker has
    // them all.
    if (due.length < limit || polled === 0) return;
  }
};
