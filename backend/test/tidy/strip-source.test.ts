import { expect, it } from 'vitest';
import { blankText, dropComments } from './strip-source.ts';

it('drops comments and keeps lines, quotes and templates', () => {
  const text = "const a = 'http://x'; // Date.now()\n/* new\n Date() */ const b = `-- ${a} //`;";
  const code = dropComments(text);
  expect(code).toContain("'http://x'");
  expect(code).toContain('`-- ${a} //`');
  expect(code).not.toContain('Date');
  expect(code.split('\n')).toHaveLength(3);
});

it('is not misled by quotes in regular expressions and by divisions', () => {
  const text = "const a = /['\"`/]/u; // x\nconst half = total / 2; const path = 'a//b';";
  const code = dropComments(text);
  expect(code).toContain('/[\'"`/]/u;');
  expect(code).not.toContain('// x');
  expect(code).toContain("total / 2; const path = 'a//b'");
});

it('blanks quotes and regular expressions, not what a template runs', () => {
  const bare = blankText("f('Number(1)', /Number\\(/u, `${Number(total)}`);");
  expect(bare).toBe(`f(${' '.repeat(11)}, ${' '.repeat(11)}, \`\${Number(total)}\`);`);
});
