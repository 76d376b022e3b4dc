const columns = 66;

/** Writes the story as it goes. */
export interface Printer {
  heading(text: string): void;
  step(number: number, title: string, ms: number, lines: readonly string[]): void;
  failure(number: number, title: string, why: string): void;
  line(text: string): void;
}

export interface PrinterOptions {
  readonly write: (text: string) => void;
  /** Only where somebody sees them: on a terminal. */
  readonly colours: boolean;
}

const numbered = (number: number): string => String(number).padStart(2);

/** Writes numbered steps with their times; the same words with colours and without. */
export const createPrinter = ({ write, colours }: PrinterOptions): Printer => {
  const painted = (code: number) => (text: string) =>
    colours ? `\u001b[${code}m${text}\u001b[0m` : text;
  const [bold, dim, green, red] = [painted(1), painted(2), painted(32), painted(31)];
  return {
    heading: (text) => write(`\n${bold(text)}\n\n`),
    step(number, title, ms, lines) {
      const time = `${ms.toFixed(0)} ms`.padStart(9);
      write(`${green(numbered(number))}  ${bold(title.padEnd(columns))}${dim(time)}\n`);
      for (const line of lines) write(`    ${line}\n`);
    },
    failure(number, title, why) {
      write(`${red(numbered(number))}  ${bold(title)}\n    ${red(`FAILED: ${why}`)}\n`);
    },
    line: (text) => write(`${text}\n`),
  };
};
