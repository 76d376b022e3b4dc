import { parse } from 'yaml';

/** The annotations in the comments right above a key of values.yaml. */
export interface Annotations {
  /** The text of `# @schema`, or undefined if there is none. */
  readonly schema: unknown;
  /**
   * The key of `# @like`. Annotations that are missing here are taken from that key, which is in
   * the same map.
   */
  readonly like: string | undefined;
  /** The text after `# --`, which helm-docs also shows. */
  readonly description: string | undefined;
}

const commentText = (line: string): string => line.trim().replace(/^#\s?/u, '');

/** Returns the lines of comments right above a line, which is counted from 0. */
const commentsAbove = (lines: readonly string[], line: number): string[] => {
  let first = line;
  while (first > 0 && /^\s*#/u.test(lines[first - 1] ?? '')) first -= 1;
  return lines.slice(first, line).map(commentText);
};

const joined = (texts: readonly string[]): string | undefined =>
  texts.length === 0 ? undefined : texts.join(' ').trim();

/** Reads the annotations in the comments above a line. */
export const readAnnotations = (lines: readonly string[], line: number): Annotations => {
  const comments = commentsAbove(lines, line);
  const tagged = (tag: string): string | undefined =>
    joined(
      comments
        .filter((text) => text.startsWith(`@${tag} `))
        .map((text) => text.slice(tag.length + 2)),
    );
  const begin = comments.findIndex((text) => text.startsWith('-- '));
  const schema = tagged('schema');
  return {
    schema: schema === undefined ? undefined : parse(schema),
    like: tagged('like'),
    description:
      begin < 0
        ? undefined
        : joined([(comments[begin] ?? '').slice(3), ...comments.slice(begin + 1)]),
  };
};

/** Returns the schemas that `# @define NAME SCHEMA` gives names, anywhere in the text. */
export const readDefinitions = (lines: readonly string[]): ReadonlyMap<string, unknown> => {
  const found = new Map<string, string>();
  for (const text of lines.filter((line) => line.startsWith('# @define ')).map(commentText)) {
    const [, name = '', schema = ''] = /^@define (\w+) (.+)$/u.exec(text) ?? [];
    found.set(name, `${found.get(name) ?? ''} ${schema}`);
  }
  return new Map([...found].map(([name, text]) => [name, parse(text)]));
};
