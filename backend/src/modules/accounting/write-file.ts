import { invariant } from '../../platform/invariant/invariant.ts';
import type { ExportRegister } from '../registers/index.ts';

export interface FilesDeps {
  /** Absent in a process that writes no files. */
  readonly exportRegister?: ExportRegister;
}

export const fileErrors = ['BUSY', 'TOO_MANY_ROWS'] as const;

/** Responds with a file of a register. */
export const writeFile = (
  { exportRegister }: FilesDeps,
  request: Parameters<ExportRegister>[0],
): ReturnType<ExportRegister> => {
  invariant(exportRegister, 'this process writes files');
  return exportRegister(request);
};
