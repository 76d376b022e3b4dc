import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the service's own command prints, by its words, of a service in which all is well. */
export const operatorAnswers: Readonly<Record<string, object>> = {
  'database status': {
    version: '15.9',
    readOnly: false,
    timeZone: 'UTC',
    connections: 20,
    maxConnections: 97,
  },
  'migrate status': { pending: [], failed: [] },
};

const program = `
const { readFileSync } = require('node:fs');
const answers = JSON.parse(readFileSync(__dirname + '/answers.json', 'utf8'));
const words = process.argv.slice(2).join(' ');
if (answers[words] === undefined) {
  console.error(JSON.stringify({ error: { code: 'NOT_FOUND', message: 'Not found.' } }));
  process.exit(1);
}
console.log(JSON.stringify(answers[words]));
`;

/** Puts a program in the place of the service's own command, with the answers given. */
export const writeOperatorProgram = (
  repository: string,
  answers: Readonly<Record<string, object>> = {},
): void => {
  const folder = join(repository, 'backend', 'dist', 'operator');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'main.js'), program);
  writeFileSync(join(folder, 'answers.json'), JSON.stringify({ ...operatorAnswers, ...answers }));
};
