/** A terminal obeys these instead of showing them, and a value may come from outside. */
const controlCharacters = /\p{Cc}/gu;

/** Replaces control characters with a visible mark. */
export const showable = (text: string): string => text.replaceAll(controlCharacters, '\u{fffd}');

/** Replaces the hidden characters of a text of several lines. Its line breaks stay. */
export const showableLines = (text: string): string => text.split('\n').map(showable).join('\n');
