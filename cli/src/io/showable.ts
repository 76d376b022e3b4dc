/** The characters that a terminal executes. A value from outside may contain them. */
const controlCharacters = /\p{Cc}/gu;

/** Replaces control characters with a visible mark. */
export const showable = (text: string): string => text.replaceAll(controlCharacters, '\u{fffd}');

/** Replaces the control characters of a text except its line breaks. */
export const showableLines = (text: string): string => text.split('\n').map(showable).join('\n');
