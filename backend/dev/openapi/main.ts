import { writeDocuments } from './write-documents.ts';

/** Writes the OpenAPI documents into the folder that is named: `make generate`. */

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('name the folder');
await writeDocuments(folder);
