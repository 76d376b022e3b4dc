/** Text as one word of a shell, whatever is in it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The first sentence of a description, without what would end a completion's text. */
export const brief = (text: string): string => text.replace(/[;(].*$/u, '').trim();
