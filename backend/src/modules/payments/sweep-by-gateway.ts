/**
 * The result of polling for one row. 'answered': its gateway responded, even if it refused the
 * query. 'silent': the gateway did not respond. 'taken': another worker has the row.
 */
export type PollResult = 'answered' | 'silent' | 'taken';

interface SweepByGatewayOptions<Row extends { readonly gateway: string }> {
  readonly signal: AbortSignal;
  /** The number of rows of a batch. */
  readonly limit: number;
  /** Lists the due rows, least recently polled first, except the rows of these gateways. */
  readonly list: (silentGateways: readonly string[]) => Promise<readonly Row[]>;
  /** Claims a row, which is not due after it, and queries its gateway. */
  readonly poll: (row: Row) => Promise<PollResult>;
}

/**
 * Polls the gateways for every row that is due, batch by batch. A gateway that does not respond is
 * skipped until the next pass. Its rows stay unclaimed, so that they come first in that pass. They
 * are no longer listed in this pass, so that the rows of other gateways fit in the batch.
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
    // A polled row is no longer due. If no row of a batch was polled, another worker has all of
    // them.
    if (due.length < limit || polled === 0) return;
  }
};
