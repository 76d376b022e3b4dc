import { z } from 'zod';
import { makeUpNumbers } from '../demo-numbers.ts';
import type { Demo, DemoOperator } from '../demo.types.ts';

const loginWire = z.object({
  accessToken: z.string(),
  expiresIn: z.int(),
  admin: z.object({ id: z.uuid(), email: z.string() }),
});

/** Signs an operator of this role in. */
export const signInOperator = async (
  demo: Demo,
  role: 'SUPER_ADMIN' | 'ADMIN' | 'SUPPORT',
): Promise<{ operator: DemoOperator; validSeconds: number }> => {
  const visitor = demo.visitor('admin', makeUpNumbers(demo.random).ip);
  const { body } = await visitor.ask({
    method: 'POST',
    path: '/auth/login',
    body: demo.endpoints.admins[role],
    read: loginWire,
  });
  const { id: adminId, email } = body.admin;
  const api = visitor.with({ authorization: `Bearer ${body.accessToken}` });
  return { operator: { adminId, email, api }, validSeconds: body.expiresIn };
};
