import { z } from 'zod';
import type { AdminRecord } from './admins.store.ts';
import { adminRoles } from './admins.types.ts';

export const emailSchema = z
  .string()
  .max(254)
  .transform((text) => text.trim().toLowerCase())
  .pipe(z.email('must be an e-mail address'));

export const loginBody = z.object({ email: emailSchema, password: z.string().min(1).max(256) });

/** What sign-in takes at most, and long enough that guessing it is hopeless. */
export const newPasswordSchema = z
  .string()
  .min(12, 'must have at least 12 characters')
  .max(256, 'must have at most 256 characters');

export const adminView = z.object({
  id: z.uuid(),
  email: z.string(),
  role: z.enum(adminRoles),
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
  /** When it was signed: seconds since 1970, of business time. */
  iat: z.int(),
});

export const presentAdmin = ({ id, email, role }: AdminRecord) => ({ id, email, role });
