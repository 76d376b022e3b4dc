interface LogMethod {
  (fields: object, message?: string): void;
  (message: string): void;
}

/** What the code base needs of a logger; pino's has this shape. */
export interface Logger {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
  readonly fatal: LogMethod;
  child(bindings: Record<string, unknown>): Logger;
}
