import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { grams } from '../../money/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { createReportsAdminRoutes } from '../reports/index.ts';
import { createProofGauge } from './index.ts';
import { rootOf } from './testing/made-proofs.ts';
import { openProofs, type OpenProofs } from './testing/open-proofs.ts';
import { hashOf, leafOf, sumOf } from './tree.ts';

/* What accounting, operators and alerts read of the statements. */

let proofs: OpenProofs;
const auditor = '01900000-0000-7000-8000-00000000a0d1';

beforeAll(async () => {
  proofs = await openProofs();
  await proofs.buy();
  await proofs.buy(undefined, '2500');
  await proofs.buy(undefined, '700');
});
afterAll(() => proofs.close());
beforeEach(async () => {
  await proofs.control('DELETE', '/faults');
});

/** Makes the provider report 0.0001 g more for the next queried account. */
const differ = () =>
  proofs.control('POST', '/faults', {
    collaborator: 'safegold',
    operation: 'get-user',
    fault: 'wrong_amount',
    times: 1,
  });

/** Sends a request to the accounting API, with a token or without. */
const ask = (path: string, token: string | null = auditor) =>
  fetch(`${proofs.accountingUrl}${path}`, {
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  });

describe('accounting', () => {
  it('lists the statements, and the refused runs with their reasons', async () => {
    await proofs.publish();
    await differ();
    await proofs.publish();
    const statements = await (await ask('/gold/proof-of-gold')).json();
    expect(statements).toMatchObject({ items: [{ statement: { accounts: 3 } }] });
    const runs = await (await ask('/gold/proof-of-gold/runs?limit=2')).json();
    expect(runs).toMatchObject({
      items: [{ status: 'REFUSED', reason: 'BOOKS_DIFFER' }, { status: 'PUBLISHED' }],
    });
  });

  it('can rebuild the root and the total from the export, which names no customer', async () => {
    const { sequence } = await proofs.publish();
    const { body } = await proofs.customerAs()('GET', '/public/proof-of-gold');
    const statement = body['statement'] as Record<string, string>; // as the contract says
    const answer = await ask(`/gold/proof-of-gold/${sequence}/leaves`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(answer.headers.get('content-disposition')).toContain(`proof-of-gold_${sequence}.csv`);
    expect(answer.headers.get('x-total-rows')).toBe('3');
    const text = await answer.text();
    const [head, ...rows] = text.trimEnd().split('\r\n');
    expect(head).toBe('commitment,grams');
    const leaves = rows.map((row) => {
      const [commitment = '', amount = ''] = row.split(',');
      const units = BigInt(amount.replace('.', ''));
      return leafOf(statement['id'] ?? '', Buffer.from(commitment, 'base64url'), units);
    });
    const root = rootOf(leaves);
    expect(hashOf(root).toString('base64url')).toBe(statement['root']);
    expect(sumOf(root)).toBe(grams(BigInt(statement['liabilities']?.replace('.', '') ?? '')));
    for (const { userId } of await proofs.system.db.holding.findMany()) {
      expect(text).not.toContain(userId);
    }
    const row = await proofs.system.db.auditLog.findFirstOrThrow({
      where: { action: 'accounting.export', targetId: String(sequence) },
    });
    expect(row).toMatchObject({ actorId: auditor, after: { format: 'csv', accounts: 3 } });
  });

  it.each(['999', '0', 'first', '9999999999'])('finds no export of %s', async (sequence) => {
    expect((await ask(`/gold/proof-of-gold/${sequence}/leaves`)).status).toBe(404);
  });

  it('refuses the export to callers without the permission', async () => {
    const { sequence } = await proofs.publish();
    expect((await ask(`/gold/proof-of-gold/${sequence}/leaves`, null)).status).toBe(401);
  });
});

/** Rejects, since these requests need no price. */
const unavailable = () => Promise.reject(new AppError('PRICE_UNAVAILABLE'));

describe('a refusal', () => {
  it('is shown in metrics and to operators until a later statement is signed', async () => {
    const registry = new Registry();
    const observe = createProofGauge({ ...proofs.system, registry });
    const figures = async () => {
      await observe();
      return registry.metrics();
    };
    const overviewUrl = await proofs.system.serve({
      prefix: '/v1',
      guard: proofs.operatorGuard,
      routes: createReportsAdminRoutes({ ...proofs.system, price: { livePrice: unavailable } }),
    });
    const attention = async () => {
      const { token } = await proofs.factories.admin('SUPPORT');
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${overviewUrl}/dashboard/overview`, { headers });
      const body = (await answer.json()) as { attention: { kind: string }[] }; // as declared
      return body.attention.filter(({ kind }) => kind === 'proof_refused');
    };
    await proofs.publish();
    await proofs.advance(90);
    expect(await figures()).toMatch(/^proof_of_gold_statement_age_seconds (?:90|9[0-9])\b/mu);
    expect(await figures()).toMatch(/^proof_of_gold_refused 0$/mu);
    expect(await attention()).toEqual([]);

    await differ();
    await proofs.publish();
    expect(await figures()).toMatch(/^proof_of_gold_refused 1$/mu);
    expect(await attention()).toMatchObject([{ count: 1, link: '/proof-of-gold/runs' }]);

    await proofs.publish();
    expect(await figures()).toMatch(/^proof_of_gold_refused 0$/mu);
    expect(await attention()).toEqual([]);
  });
});
