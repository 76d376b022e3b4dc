const comment = String.raw`\/\*[\s\S]*?\*\/|\/\/[^\n]*`;
const quoted = String.raw`'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"`;
const template = '`(?:\\\\[\\s\\S]|[^`\\\\])*`';
/** A slash divides unless it stands where a value begins. */
const valueBegins = String.raw`(?<=(?:^|[=(,:[!&|?{};>]|\breturn)\s*)`;
const regex = valueBegins + String.raw`\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*`;

const tokens = new RegExp(`(${comment})|(${quoted})|(${template})|(${regex})`, 'gmu');

const blank = (text: string): string => text.replaceAll(/[^\n]/gu, ' ');

/** The text with its comments blanked. Line numbers stay. */
export const dropComments = (text: string): string =>
  text.replaceAll(tokens, (all: string, isComment: string | undefined) =>
    isComment === undefined ? all : blank(all),
  );

/** Blanks what is in quotes and in regular expressions. Templates stay: they hold code. */
export const blankText = (code: string): string =>
  code.replaceAll(
    tokens,
    (all: string, _comment: unknown, _quoted: unknown, isTemplate: string | undefined) =>
      isTemplate === undefined ? blank(all) : all,
  );

/** Returns the comments of a text, each as a line without its marks. */
export const commentsOf = (text: string): string[] =>
  [...text.matchAll(tokens)].flatMap(([, comment]) =>
    comment === undefined
      ? []
      : [
          comment
            .replaceAll(/^\/\*+|\*+\/$|^\/\/|\n\s*\*/gu, ' ')
            .replaceAll(/\s+/gu, ' ')
            .trim(),
        ],
  );
