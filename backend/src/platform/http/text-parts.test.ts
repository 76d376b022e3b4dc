import { describe, expect, it } from 'vitest';
import { canonicalEmail, emailText, plainLine, plainName, plainText } from './index.ts';

const read = (schema: ReturnType<typeof plainName> | typeof emailText, text: string) =>
  schema.safeParse(text).data;

describe('a name', () => {
  it.each([
    ['a joiner of Malayalam', 'ജോൻ്\u200d'],
    ['a joiner of Devanagari', 'क्\u200dषमा'],
    ['a non-joiner of Kannada', 'ರಾಜ್\u200cಕುಮಾರ್'],
    ['a non-joiner of Urdu', 'نام\u200cی'],
    ['apostrophes, points and hyphens', "Dr. José D'Souza-O’Neil"],
    ['a family of one letter', 'N Ramesh'],
    ['an emoji with its form', 'Asha ❤️'],
    ['a family of emoji', 'Rao 👨‍👩‍👧'],
    ['digits', 'Gold coin, 1 g'],
  ])('holds %s', (_what, name) => {
    expect(read(plainName(100), name)).toBe(name);
  });

  it.each([
    ['what turns the direction', 'Asha\u202eoaR'],
    ['an isolate', 'Asha \u2067Rao\u2069'],
    ['a mark of direction', 'Asha\u200f Rao'],
    ['a terminal command', 'Asha\u001b[2J Rao'],
    ['a line break', 'Asha\nRao'],
    ['a separator of lines', 'Asha\u2028Rao'],
    ['a tab', 'Asha\tRao'],
    ['nothing to see', '\u200b\u200b'],
    ['a filler that is called a letter', '\u3164'],
    ['the blank of Braille', '\u2800'],
    ['a letter and what nobody sees', 'As\u00adha'],
    ['a joiner that joins nothing', 'As\u200dha'],
    ['two joiners', 'ജോൻ്\u200d\u200d'],
    ['a joiner at its beginning', '\u200dആശ'],
    ['no letter', '12 345'],
    ['blanks', '  \u00a0 '],
    ['nothing', ''],
    ['too much', 'x'.repeat(101)],
  ])('does not hold %s', (_what, name) => {
    expect(read(plainName(100), name)).toBeUndefined();
  });

  it.each([' Asha Rao ', 'Asha  Rao', 'Asha\u00a0\u2003 Rao\u3000', 'Asha \u2800Rao'])(
    'has single blanks: %j',
    (name) => {
      expect(read(plainName(100), name)).toBe('Asha Rao');
    },
  );
});

describe('a line', () => {
  it('may be a number, a sign or an emoji, and not nothing', () => {
    for (const text of ['12/3', '221-B', '🦄']) expect(read(plainLine(50), text)).toBe(text);
    for (const text of ['\u200b', '\u3164', ' ', 'a\nb', 'a\u202eb', '\u2066a']) {
      expect(read(plainLine(50), text)).toBeUndefined();
    }
  });
});

describe('a text', () => {
  it('has line breaks of one kind, and blanks for tabs', () => {
    expect(read(plainText(50), ' a\r\nb\rc\u2028d\n\ne\tf ')).toBe('a\nb\nc\nd\n\ne    f');
  });

  it('holds nothing else that steers', () => {
    for (const text of ['a\u001b[2Jb', 'a\u202eb', 'a\u200eb', 'a\u000bb', '\n', '\u200b']) {
      expect(read(plainText(50), text)).toBeUndefined();
    }
    expect(read(plainText(8), 'a\t\tb')).toBeUndefined();
  });
});

describe('an email address', () => {
  it.each([
    ['Asha@Example.Test ', 'asha@example.test'],
    ["o'neil+gold@mail.example.co.in", "o'neil+gold@mail.example.co.in"],
    ['asha@example.xn--h2brj9c', 'asha@example.xn--h2brj9c'],
    ['asha@example.भारत', 'asha@example.xn--h2brj9c'],
    ['asha@EXAMPLE.भारत', 'asha@example.xn--h2brj9c'],
    ['asha@उदाहरण.भारत', 'asha@xn--p1b6ci4b4b3a.xn--h2brj9c'],
    ['asha@bücher.example', 'asha@xn--bcher-kva.example'],
  ])('%s is %s', (typed, stored) => {
    expect(read(emailText, typed)).toBe(stored);
  });

  it.each([
    'nobody',
    'a@भारत',
    'a@127.1',
    'a@ex%41mple.com',
    'a@example.com/भारत',
    'a@example.com\\भारत',
    'a b@example.test',
    'a..b@example.test',
    'a@example..test',
    'a\u202e@example.test',
    'a@ex\u202eample.भारत',
    `${'x'.repeat(250)}@example.test`,
  ])('%s is none', (text) => {
    expect(read(emailText, text)).toBeUndefined();
  });

  it('is searched by a part of it as by the whole', () => {
    expect(canonicalEmail('@example.भारत')).toBe('@example.xn--h2brj9c');
    expect(canonicalEmail('asha rao')).toBe('asha rao');
  });
});
