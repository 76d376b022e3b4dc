import { sweepRows, type Sweep } from '../jobs/index.ts';
import { describeError, type CallFlow, type Logger } from '../observability/index.ts';

interface CallSweepOptions<Row> {
  readonly name: string;
  readonly flow: CallFlow;
  readonly logger: Pick<Logger, 'warn'>;
  /** Lists open calls that no worker has touched for a while. The least recently touched is first. */
  readonly list: () => Promise<readonly Row[]>;
  /** Resumes the open call of a row. */
  readonly call: (row: Row) => Promise<unknown>;
  /** Moves a row to the end of the list after its call threw. Other rows then come first. */
  readonly postpone: (row: Row) => Promise<void>;
  /** Returns the ids that identify a row in log lines. */
  readonly fieldsOf: (row: Row) => object;
}

/** Creates the sweep that resumes the open calls of a flow. */
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
