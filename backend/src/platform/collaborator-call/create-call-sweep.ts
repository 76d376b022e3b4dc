import { sweepRows, type Sweep } from '../jobs/index.ts';
import { describeError, type CallFlow, type Logger } from '../observability/index.ts';

interface CallSweepOptions<Row> {
  readonly name: string;
  readonly flow: CallFlow;
  readonly logger: Pick<Logger, 'warn'>;
  /** Lists open calls that no worker has touched for a while, the longest untouched first. */
  readonly list: () => Promise<readonly Row[]>;
  readonly call: (row: Row) => Promise<unknown>;
  /** Sends a row whose turn failed to the back, so that it is not first in every pass. */
  readonly postpone: (row: Row) => Promise<void>;
  /** Returns the ids by which log lines name a row. */
  readonly fieldsOf: (row: Row) => object;
}

/** Creates the sweep that takes up the calls of a flow that were left open. */
export const createCallSweep = <Row>(options: CallSweepOptions<Row>): Sweep => {
  const { name, flow, logger, list, call, postpone, fieldsOf } = options;
  return {
    name,
    async run(signal) {
      await sweepRows({
        rows: await list(),
        signal,
        async handle(row) {
          await call(row);
          return true;
        },
        postpone,
        onError: (error, row) =>
          logger.warn(
            { flow, ...fieldsOf(row), err: describeError(error) },
            'an open call could not be resumed',
          ),
      });
    },
  };
};
