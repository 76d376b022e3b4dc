import { configKeys, type ConfigKey } from './config-keys.ts';

const begin = '<!-- keys: begin, written by `npm run docs:config -w deploy` -->';
const end = '<!-- keys: end -->';

const valueText = ({ required, defaultText, allowed }: ConfigKey): string => {
  const choices = allowed.map((choice) => `\`${choice}\``).join(', ');
  if (required) return choices === '' ? 'required' : `required: ${choices}`;
  const fallback = defaultText === undefined ? 'none' : `\`${defaultText}\``;
  return choices === '' ? fallback : `${fallback} of ${choices}`;
};

const row = (key: ConfigKey): string => `| \`${key.path}\` | ${valueText(key)} | ${key.doc} |`;

const table = ['| Key | Default | What it is |', '|---|---|---|', ...configKeys.map(row)];

/**
 * Returns the page with its table of keys up to date.
 * @throws Error when the page has no place for the table.
 */
export const withConfigTable = (page: string): string => {
  const [head, following] = page.split(begin);
  const tail = following?.split(end)[1];
  if (head === undefined || tail === undefined) throw new Error(`the page has no "${begin}"`);
  return `${head}${begin}\n${table.join('\n')}\n${end}${tail}`;
};
