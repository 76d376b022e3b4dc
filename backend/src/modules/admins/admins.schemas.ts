import { z } from 'zod';
import type { AdminRecord } from './admins.store.ts';
import { adminRoles } from './admins.types.ts';

export const emailSchema = z
  .string()
  .max(254)
  .transform((text) => text.trim().toLowerCase())
  .pipe(z.email('must be an email address'));

export const loginBody = z.object({ email: emailSchema, password: z.string().min(1).max(256) });

/** Long enough that guessing it is hopeless, and no longer than sign-in accepts. */
export const newPasswordSchema = z
  .string()
  .min(12, 'must have at least 12 characters')
  .max(256, 'must have at most 256 characters');

const adminView = z.object({
  id: z.uuid(),
  email: z.string(),
  role: z.enum(adminRoles),
});
adminView.register(z.globalRegistry, {
  id: 'Operator',
  description: 'A person who works for the house.',
});

export const loginAnswer = z.object({
  accessToken: z.string(),
  /** Seconds. */
  expiresIn: z.int().positive(),
  admin: adminView,
});

export const tokenClaims = z.object({
  sub: z.uuid(),
  email: z.string(),
  role: z.enum(adminRoles),
  /** Time of signing: seconds since 1970, in business time. */
  iat: z.int(),
});

export const presentAdmin = ({ id, email, role }: AdminRecord) => ({ id, email, role });
