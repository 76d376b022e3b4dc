/**
 * The result of polling for one row. 'answered': its gateway responded, even if it refused the
 * query. 'silent': the gateway did not respond. 'taken': another worker has the row.
 */
export type PollResult = 'answered' | 'silent' | 'taken';

interface SweepByGatewayOptions<Row extends { readonly gateway: string }> {
  readonly signal: AbortSignal;
  /** The largest number of rows that `list` returns. */
  readonly limit: number;
  /** Lists the due rows, except the rows of the given gateways. Least recently polled rows first. */
  readonly list: (silentGateways: readonly string[]) => Promise<readonly Row[]>;
  /** Claims a row, so that it is no longer due, and queries its gateway. */
  readonly poll: (row: Row) => Promise<PollResult>;
}

/**
 * Polls the gateways for every row that is due, batch by batch. A gateway that does not respond is
 * skipped until the next pass. Its other rows are neither claimed nor listed in this pass. They
 * therefore come first in the next pass, and do not fill the batches of this pass.
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
    // A polled row is no longer due. If no row of a batch was polled, other workers have its rows.
    if (due.length < limit || polled === 0) return;
  }
};
