/** The streams, environment and clock that commands use. Tests pass their own. */
export interface CliDeps {
  /** Writes results. The text must end with a newline, since none is added. */
  stdout(text: string): void;
  /** Writes progress, prompts and errors. */
  stderr(text: string): void;
  readonly stdin: {
    readonly isTty: boolean;
    /** Reads the input to its end, as UTF-8. */
    readAll(): Promise<string>;
  };
  /**
   * Prompts on the terminal without echo.
   * @throws CliError usage if there is no terminal, interrupted after Ctrl-C
   */
  promptSecret(message: string): Promise<string>;
  /**
   * Prompts for a line on the terminal.
   * @throws CliError usage if there is no terminal.
   */
  ask(question: string): Promise<string>;
  /**
   * Prompts for a confirmation on the terminal.
   * @throws CliError usage if there is no terminal
   */
  confirm(question: string): Promise<boolean>;
  readonly env: Readonly<Record<string, string | undefined>>;
  now(): Date;
  /** @throws the signal's reason if the signal is aborted */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** True if results go to a terminal. */
  readonly isTty: boolean;
  /** Aborted after Ctrl-C or SIGTERM. Every function that waits must use it. */
  readonly signal: AbortSignal;
  /** The folder of goldctl's repository or image. */
  readonly repository: string;
  readonly version: string;
}
