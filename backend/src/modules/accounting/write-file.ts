import { invariant } from '../../platform/invariant/invariant.ts';
import type { ExportRegister } from '../registers/index.ts';

/** The parts of a list of the books that is written as a file. */
export interface FilesDeps {
  /** Absent in a process that writes no files. */
  readonly exportRegister?: ExportRegister;
}

export const fileErrors = ['BUSY', 'TOO_MANY_ROWS'] as const;

/** Writes a list as a file. */
export const writeFile = (
  { exportRegister }: FilesDeps,
  request: Parameters<ExportRegister>[0],
): ReturnType<ExportRegister> => {
  invariant(exportRegister, 'this process writes files');
  return exportRegister(request);
};
