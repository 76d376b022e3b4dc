/** The terminal that results go to. */
interface Screen {
  /** The width. Undefined if results go to a file or a program, which need whole lines. */
  columns: number | undefined;
  /** True if results are coloured. */
  hasColour: boolean;
}

/** The screen of the process, which is set at the start. Tests set their own. */
export const screen: Screen = { columns: undefined, hasColour: false };

type Environment = Readonly<Record<string, string | undefined>>;

/** Sets the screen. NO_COLOR disables colours, and FORCE_COLOR enables them even for a pipe. */
export const setScreen = (
  stdout: { readonly isTTY?: boolean; readonly columns?: number },
  env: Environment,
): void => {
  const isTerminal = stdout.isTTY === true;
  screen.columns = isTerminal ? stdout.columns : undefined;
  const isForced = (env['FORCE_COLOR'] ?? '') !== '' && env['FORCE_COLOR'] !== '0';
  const isRefused = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  screen.hasColour = isForced || (isTerminal && !isRefused);
};

const codes = { red: 31, green: 32, yellow: 33, bold: 1, dim: 2 } as const;

/** Colours a text if it goes to a terminal that shows colours. */
export const paint = (style: keyof typeof codes, text: string): string =>
  screen.hasColour ? `\u{1b}[${codes[style]}m${text}\u{1b}[0m` : text;
