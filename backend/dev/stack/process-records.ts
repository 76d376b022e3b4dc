import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isProcess, stopProcess } from './process-control.ts';

const recordSchema = z.object({
  pid: z.number().int().positive(),
  /** Part of its command line, which sets it apart from another program that reuses its pid. */
  mark: z.string(),
  /** Hash of its code, packages and environment. While it is the same, no restart is needed. */
  fingerprint: z.string(),
  ports: z.array(z.number().int()),
});

type ProcessRecord = z.output<typeof recordSchema>;

/** The records of the processes that the stack started. Each has a file in the folder `run`. */
export interface ProcessRecords {
  /**
   * Returns the record of a live process. If the process is gone, or the record can't be read, the
   * record is deleted.
   */
  findAlive(name: string): Promise<ProcessRecord | undefined>;
  write(name: string, record: ProcessRecord): void;
  /** Stops the process if it is alive and forgets it. Returns false when it was not. */
  stop(name: string): Promise<boolean>;
}

export const createProcessRecords = (folder: string): ProcessRecords => {
  const fileOf = (name: string): string => join(folder, `${name}.json`);
  const read = (name: string): ProcessRecord | undefined => {
    if (!existsSync(fileOf(name))) return undefined;
    try {
      const value: unknown = JSON.parse(readFileSync(fileOf(name), 'utf8'));
      return recordSchema.safeParse(value).data;
    } catch {
      return undefined;
    }
  };
  const findAlive = async (name: string): Promise<ProcessRecord | undefined> => {
    const record = read(name);
    if (record !== undefined && (await isProcess(record.pid, record.mark))) return record;
    rmSync(fileOf(name), { force: true });
    return undefined;
  };
  return {
    findAlive,
    write(name, record) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(fileOf(name), `${JSON.stringify(record)}\n`);
    },
    async stop(name) {
      const record = await findAlive(name);
      if (record === undefined) return false;
      await stopProcess({ pid: record.pid, mark: record.mark });
      rmSync(fileOf(name), { force: true });
      return true;
    },
  };
};
