import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { text } from 'node:stream/consumers';

/** Reads the files of a packed archive by their names. */
export const readArchive = async (path: string): Promise<ReadonlyMap<string, string>> => {
  const unpacked = extract();
  unpacked.end(gunzipSync(readFileSync(path)));
  const files = new Map<string, string>();
  for await (const entry of unpacked) files.set(entry.header.name, await text(entry));
  return files;
};
