import * as pulumi from '@pulumi/pulumi';
import type { z } from 'zod';
import type { Passwords } from './addresses.ts';

/**
 * Reads the settings of an example from its stack, and its passwords.
 * @throws ZodError naming the key that is missing or wrong.
 */
export const readSettings = <Schema extends z.ZodType>(
  schema: Schema,
): { readonly settings: z.output<Schema>; readonly passwords: Passwords } => {
  const config = new pulumi.Config();
  return {
    settings: schema.parse(config.getObject('settings')),
    passwords: {
      application: config.requireSecret('applicationPassword'),
      migrate: config.requireSecret('migratePassword'),
    },
  };
};
