/** The reasons to refuse an amount or a weight. The caller maps them to its own error codes. */
type MoneyErrorCode =
  /** The text is not a rupee amount in its form on the wire. */
  | 'INVALID_AMOUNT'
  /** The text is not a weight in its form on the wire, or is zero. */
  | 'INVALID_GRAMS'
  /** The amount buys or yields nothing after rounding (contract: money > Smallest amounts). */
  | 'AMOUNT_TOO_SMALL'
  /** The value does not fit into an integer of JSON or the database column. */
  | 'OUT_OF_RANGE';

/** The only error that this folder throws on purpose. */
export class MoneyError extends Error {
  readonly code: MoneyErrorCode;

  constructor(code: MoneyErrorCode, message: string) {
    super(message);
    this.name = 'MoneyError';
    this.code = code;
  }
}
