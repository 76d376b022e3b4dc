import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { configurationFile } from './configuration-file.ts';
import { configurationPage } from './configuration-page.ts';

/** `npm run docs:config`: writes the configuration reference. */

mkdirSync(dirname(configurationFile), { recursive: true });
writeFileSync(configurationFile, configurationPage());
