import { z } from 'zod';
import { list } from '../platform/config/kinds.ts';

/** Comma-separated whole seconds, at least one entry. */
export const retrySeconds = (defaultValue: string) =>
  list(defaultValue)
    .pipe(z.array(z.string().regex(/^\d{1,5}$/u, 'must be whole seconds')).min(1))
    .transform((entries) => entries.map((entry) => parseInt(entry, 10)));
