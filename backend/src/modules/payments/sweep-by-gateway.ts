/**
 * What came of asking about one row: its gateway said something, even a refusal of this question;
 * it gave no answer; or another worker is at the row.
 */
export type AskResult = 'answered' | 'silent' | 'taken';

interface SweepByGatewayOptions<Row extends { readonly gateway: string }> {
  readonly signal: AbortSignal;
  /** The size of a batch. */
  readonly limit: number;
  /** Lists what is due and not of these gateways, what was asked about longest ago first. */
  readonly list: (silentGateways: readonly string[]) => Promise<readonly Row[]>;
  /** Claims a row, which is not due after it, and asks its gateway. */
  readonly ask: (row: Row) => Promise<AskResult>;
}

/**
 * Asks the gateways about every row that is due, batch by batch. A gateway that gives no answer is
 * left until the next pass: its rows are not claimed, so that they come first then, and are no
 * longer listed, so that they hide no others'.
 */
export const sweepByGateway = async <Row extends { readonly gateway: string }>({
  signal,
  limit,
  list,
  ask,
}: SweepByGatewayOptions<Row>): Promise<void> => {
  const silent = new Set<string>();
  for (;;) {
    const due = await list([...silent]);
    let asked = 0;
    for (const row of due) {
      if (signal.aborted) return;
      if (silent.has(row.gateway)) continue;
      const result = await ask(row);
      if (result === 'silent') silent.add(row.gateway);
      if (result !== 'taken') asked += 1;
    }
    // A row that was asked about is not due any more. Where no row of a batch was asked about,
    // another worker has them all.
    if (due.length < limit || asked === 0) return;
  }
};
