import type { Command } from 'commander';
import { z } from 'zod';
import { outputForms } from './io/output.ts';

const globalOptions = z.object({
  context: z.string(),
  namespace: z.string().optional(),
  inCluster: z.boolean().default(false),
  output: z.enum(outputForms),
  adminUrl: z.string().optional(),
  email: z.string().optional(),
  passwordStdin: z.boolean().default(false),
});

/** The options that every command takes. */
export type GlobalOptions = z.infer<typeof globalOptions>;

/** Reads the global options from wherever on the command line they stood. */
export const globalOptionsOf = (command: Command): GlobalOptions =>
  globalOptions.parse(command.optsWithGlobals());
