import { readFileSync, writeFileSync } from 'node:fs';
import { withConfigTable } from '../src/config/config-table.ts';

const page = new URL('../docs/stacks.md', import.meta.url);
writeFileSync(page, withConfigTable(readFileSync(page, 'utf8')));
