import { defineVariables, type Config } from '../../../platform/config/config.ts';
import { text } from '../../../platform/config/kinds.ts';

export const filesystemVariables = defineVariables({
  OBJECT_STORE_DIR: {
    schema: text(),
    doc: 'directory of the objects, on storage that every replica shares',
  },
});

export type FilesystemConfig = Config<typeof filesystemVariables>;
