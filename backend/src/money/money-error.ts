/** The reasons to refuse an amount or a weight. The caller maps them to its own error codes. */
type MoneyErrorCode =
  /** Not a rupee amount of the wire form. */
  | 'INVALID_AMOUNT'
  /** Not a weight of the wire form, or zero. */
  | 'INVALID_GRAMS'
  /** The amount buys or yields nothing after rounding (contract: money > Smallest amounts). */
  | 'AMOUNT_TOO_SMALL'
  /** Outside what an integer of JSON or the database column can hold. */
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
