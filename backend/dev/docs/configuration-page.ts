import { z } from 'zod';
import type { Variable, VariableTable } from '../../src/platform/config/config.ts';
import { processVariables } from '../../src/runtime/process.variables.ts';
import { developmentSwitches } from '../stack/switch-files.ts';
import { configurationParts, type ConfigurationPart } from './configuration-parts.ts';

const code = (text: string): string => `\`${text}\``;
const cell = (text: string): string => text.replaceAll('|', String.raw`\|`);

/** Returns a variable's default as it would be written, or `required`, `none` or `empty`. */
const defaultOf = ({ schema }: Variable): string => {
  const parsed = schema.safeParse(undefined);
  if (!parsed.success) return 'required';
  if (parsed.data === undefined) return 'none';
  const text = z.coerce.string().parse(parsed.data);
  return text === '' ? 'empty' : code(text);
};

const rowOf = ([name, variable]: [string, Variable]): string => {
  const secret = variable.secret === true ? ' (secret)' : '';
  return `| ${code(name)}${secret} | ${cell(defaultOf(variable))} | ${cell(variable.doc)} |`;
};

/** Variables of every process, which other sections repeat only with another meaning. */
const common: VariableTable = processVariables;

const sectionOf = ({ title, readBy, variables }: ConfigurationPart): string =>
  [
    `## ${title}`,
    '',
    `Read by: ${readBy}.`,
    '',
    '| Variable | Default | What it is |',
    '|---|---|---|',
    ...Object.entries(variables)
      .filter(([name, { doc }]) => variables === common || common[name]?.doc !== doc)
      .map(rowOf),
  ].join('\n');

const introduction = `# Configuration

Written by \`npm run docs:config\` from the tables that parse it; a test holds the two together.

Every process parses its environment once, at its start, and refuses to start with one line for each variable that is missing or wrong, never with its value. Any secret may come from a file: \`NAME_FILE\` instead of \`NAME\`, one newline at its end is not part of it. \`APP_MODE\` is \`production\` unless said otherwise, and production refuses: a secret that this repository publishes (\`dev-only-\`, in clear or in base64), \`CLOCK_CONTROL\`, the \`sandbox\` gateway, a collaborator's address without TLS, a connection to database or cache without TLS and a password (unless \`ALLOW_PLAIN_STORES=true\`). \`make up\` writes the environment of the local stack to \`.dev/env\`.`;

const switches = `## Switches

Read at every check, never at start: from the file of that name in \`SETTINGS_DIR\` where that is set (the environment is not read then), else from the environment. Missing or unreadable is off. In a file one newline at the end is not part of the value; nothing else is trimmed.

| Switch | On | What it opens |
|---|---|---|
| \`DIGITAL_GOLD_PAYMENT_ENABLED\` | \`true\` in any case | buying, together with the readiness report |
| \`DIGITAL_SELL_ENABLED\` | \`true\` in any case | selling |
| \`ACCOUNTING_PORTAL_MODE\` | exactly \`readwrite\` | writes of the accounting API |
| \`ACCOUNTING_AUTO_POSTING_ENABLED\` | exactly \`true\` | nothing: there is no posting engine, so the ledger stays empty |`;

const tracing = `## Traces

Off unless \`OTEL_EXPORTER_OTLP_ENDPOINT\` is set and the process is started with \`node --import ./dist/otel/main.js ./dist/APP/main.js\`; the other \`OTEL_*\` variables are the SDK's own. In production, \`OTEL_TRACES_SAMPLER=parentbased_traceidratio\` and \`OTEL_TRACES_SAMPLER_ARG=0.01\` record one trace in a hundred, each whole, [through jobs and webhooks](adr/0088-one-trace.md).`;

/** Returns the reference of all variables and switches, as Markdown. */
export const configurationPage = (): string => {
  const known = Object.keys(developmentSwitches).filter((name) => !switches.includes(name));
  if (known.length > 0) throw new Error(`say what these switches do: ${known.join(', ')}`);
  const sections = configurationParts.map(sectionOf);
  return `${[introduction, ...sections, switches, tracing].join('\n\n')}\n`;
};
