import { z } from 'zod';
import type { HttpApi } from './http-api.ts';

const signedIn = z.object({
  accessToken: z.string(),
  expiresIn: z.int().positive(),
  admin: z.object({ id: z.string(), email: z.string(), role: z.string() }),
});

/** An operator's token, for `expiresIn` seconds. */
export type SignedIn = z.infer<typeof signedIn>;

/** Signs an operator in at the admin API. @throws ApiError when it refuses. */
export const signIn = (api: HttpApi, account: { email: string; password: string }) =>
  api({ method: 'POST', path: '/v1/auth/login', body: account, answer: signedIn });
