/** The surroundings that commands use. Tests pass their own. */
export interface CliDeps {
  /** Writes results. The text is written unchanged, so end lines with a newline. */
  stdout(text: string): void;
  /** Progress, prompts and errors. */
  stderr(text: string): void;
  readonly stdin: {
    readonly isTty: boolean;
    /** Everything up to the end of the input, as UTF-8. */
    readAll(): Promise<string>;
  };
  /**
   * Prompts on the terminal without echo.
   * @throws CliError usage off a terminal, interrupted at Ctrl-C.
   */
  promptSecret(message: string): Promise<string>;
  /**
   * Prompts for a line on the terminal.
   * @throws CliError usage if there is no terminal.
   */
  ask(question: string): Promise<string>;
  /** Prompts for a confirmation on the terminal. @throws CliError usage off a terminal. */
  confirm(question: string): Promise<boolean>;
  readonly env: Readonly<Record<string, string | undefined>>;
  now(): Date;
  /** @throws the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** True when results go to a terminal. */
  readonly isTty: boolean;
  /** Aborted at Ctrl-C. Pass it to whatever waits. */
  readonly signal: AbortSignal;
  /** The folder of the repository or image that this goldctl belongs to. */
  readonly repository: string;
  readonly version: string;
}
