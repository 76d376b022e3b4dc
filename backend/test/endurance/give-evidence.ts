import { createAdminClient } from '@digital-gold/client';
import type { DemoEndpoints } from '../../dev/demo/read-endpoints.ts';
import type { Ground } from './ground.ts';

/**
 * Records the evidence of the legal entity, as an operator does, with the name that is published. A
 * build that compares the two would keep buying closed because of the placeholder in an earlier
 * seed.
 */
export const giveEvidence = async (
  { query }: Pick<Ground, 'query'>,
  { admin, admins }: DemoEndpoints,
): Promise<void> => {
  const [shown] = await query<{ value: string }>(
    `SELECT value FROM legal_field WHERE section = 'entity' AND key = 'legalName' AND verified`,
  );
  if (shown === undefined) throw new Error('no name of the legal entity is published');
  const visitor = createAdminClient({ baseUrl: admin, clientAddress: '10.9.9.8' });
  const { body } = await visitor.post('/v1/auth/login', { body: admins.SUPER_ADMIN });
  const operator = visitor.with({ token: body.accessToken });
  await operator.put('/v1/readiness/evidence/{item}', {
    path: { item: 'legal_entity' },
    body: { value: shown.value, reference: 'as it is published', verified: true },
  });
};
