import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};

/** Finds k6 on the PATH, else in `.tools/bin` of the repository, or undefined without one. */
export const findK6 = (searchPath: string, repository: string): string | undefined => {
  const folders = [...searchPath.split(delimiter), join(repository, '.tools', 'bin')];
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'k6'))
    .find(isProgram);
};
