import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { unknown } from '../../platform/outcome/outcome.ts';
import { createProofOfGold, createProofPurges } from './index.ts';
import { loadVerifier, otherKeys, testKeys, type Proof } from './testing/made-proofs.ts';
import { openProofs, type OpenProofs } from './testing/open-proofs.ts';

let proofs: OpenProofs;
let verify: Awaited<ReturnType<typeof loadVerifier>>;
let asha: Awaited<ReturnType<OpenProofs['buy']>>;
let ravi: Awaited<ReturnType<OpenProofs['buy']>>;

beforeAll(async () => {
  verify = await loadVerifier();
  proofs = await openProofs();
  asha = await proofs.buy();
  ravi = await proofs.buy(undefined, '2500');
});
afterAll(() => proofs.close());
beforeEach(async () => {
  await proofs.control('DELETE', '/faults');
});

const proofOf = async (userId: string, query = ''): Promise<Proof> => {
  const { status, body } = await proofs.customerAs(userId)('GET', `/portfolio/proof${query}`);
  expect(status).toBe(200);
  return body as unknown as Proof; // the route's own schema was checked
};

const publicStatement = async (query = '') => {
  const { status, body } = await proofs.customerAs()('GET', `/public/proof-of-gold${query}`);
  expect(status).toBe(200);
  return body as { statement: Record<string, unknown>; signed: string; hash: string };
};

const spoilBalance = (by: string, userId: string): Promise<void> =>
  proofs.asOwner(
    'UPDATE holding SET balance = balance + $1::numeric WHERE user_id = $2',
    by,
    userId,
  );

describe('a statement', () => {
  it('is signed, and each customer verifies their own gold in it', async () => {
    const run = await proofs.publish();
    expect(run).toMatchObject({ status: 'PUBLISHED', reason: null });
    const { statement } = await publicStatement();
    expect(statement).toMatchObject({
      sequence: run.sequence,
      accounts: 2,
      difference: '0.00000000',
      confirmedAccounts: 2,
      provider: 'safegold',
      certificate: null,
    });
    expect(statement['confirmed']).toBe(statement['liabilities']);
    for (const { userId } of [asha, ravi]) {
      const { balance } = await proofs.system.db.holding.findUniqueOrThrow({ where: { userId } });
      const proof = await proofOf(userId);
      const key = testKeys[0]?.publicKey ?? '';
      await verify(proof, { customer: userId, grams: balance.toFixed(8), key });
      expect(JSON.stringify(proof).length).toBeLessThan(3000);
    }
  });

  it('has the hash of the previous statement, which is kept', async () => {
    await proofs.publish();
    const before = await publicStatement();
    await proofs.publish();
    const after = await publicStatement();
    expect(after.statement['previous']).toBe(before.hash);
    await verify(after, { previous: before });
    const { body } = await proofs.operator('GET', '/proof-of-gold/statements');
    expect(body['items']).toMatchObject([{ hash: after.hash }, { hash: before.hash }, {}]);
  });

  it('has a different order and different salts each time', async () => {
    await proofs.publish();
    const before = await proofOf(asha.userId);
    await proofs.publish();
    const after = await proofOf(asha.userId);
    expect(after.salt).not.toBe(before.salt);
    expect(after.path).not.toEqual(before.path);
  });

  it('is cached by its hash, and found by its day', async () => {
    await proofs.publish();
    const { statement, hash } = await publicStatement();
    const url = `${proofs.customerUrl}/public/proof-of-gold`;
    const first = await fetch(url);
    expect(first.headers.get('cache-control')).toBe('public, max-age=60');
    expect(first.headers.get('etag')).toBe(`"${hash}"`);
    const again = await fetch(url, { headers: { 'if-none-match': `"${hash}"` } });
    expect(again.status).toBe(304);
    expect((await publicStatement(`?date=${String(statement['day'])}`)).hash).toBe(hash);
    const call = proofs.customerAs();
    expect((await call('GET', '/public/proof-of-gold?date=2001-01-01')).status).toBe(404);
    expect((await call('GET', '/public/proof-of-gold?date=yesterday')).status).toBe(400);
  });

  it('is signed by both keys of a rotation', async () => {
    const keys = [...otherKeys, ...testKeys];
    const rotated = createProofOfGold({ ...proofs.deps, keys }, { confirmEveryMs: 1000 });
    await proofs.publish(rotated);
    const proof = await proofOf(asha.userId);
    for (const { publicKey } of keys) {
      expect(await verify(proof, { key: publicKey })).toMatchObject({ isOwn: true });
    }
  });

  it("names the custodian's certificate if a verified certificate is recorded", async () => {
    await proofs.asOwner(
      `INSERT INTO readiness_evidence (item, value, reference, verified, updated_at)
       VALUES ('custodian_certificate', '12345.6789 g of 2026-01-15', 'Vault 7', true, now())`,
    );
    await proofs.publish();
    const { statement } = await publicStatement();
    expect(statement['certificate']).toEqual({
      grams: '12345.6789',
      day: '2026-01-15',
      document: 'Vault 7',
    });
  });

  it('counts grams that are reserved by a sale as the customer’s until they are sold', async () => {
    await proofs.sell();
    expect(await proofs.publish()).toMatchObject({ status: 'PUBLISHED' });
  });
});

describe('a customer without gold in it', () => {
  it('has no proof, and a caller without a session is refused', async () => {
    await proofs.publish();
    const { userId } = await proofs.customer();
    const mine = await proofs.customerAs(userId)('GET', '/portfolio/proof');
    expect(mine).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    expect((await proofs.customerAs()('GET', '/portfolio/proof')).status).toBe(401);
  });
});

describe('books that do not agree', () => {
  it('are refused for 0.0001 g more at the provider: nothing is signed, with the reason', async () => {
    await proofs.publish();
    const before = await publicStatement();
    await proofs.control('POST', '/faults', {
      collaborator: 'safegold',
      operation: 'get-user',
      fault: 'wrong_amount',
      times: 1,
    });
    const run = await proofs.publish();
    expect(run).toMatchObject({
      status: 'REFUSED',
      reason: 'BOOKS_DIFFER',
      sequence: null,
      detail: { accountsDiffering: 1, samples: [{ difference: '0.00010000' }] },
    });
    expect((await publicStatement()).hash).toBe(before.hash);
    expect(proofs.system.logged()).toContain('no statement of proof of gold was signed');
    expect(await proofs.publish()).toMatchObject({ status: 'PUBLISHED' });
  });

  it.each(['0.0001', '-0.0001', '0.00000001'])('are refused for %s g here', async (by) => {
    await spoilBalance(by, asha.userId);
    const run = await proofs.publish();
    await spoilBalance(by.startsWith('-') ? by.slice(1) : `-${by}`, asha.userId);
    expect(run).toMatchObject({ status: 'REFUSED', reason: 'BOOKS_DIFFER' });
  });

  it('are refused even if the surplus of one account equals the shortage of another', async () => {
    await spoilBalance('0.0001', asha.userId);
    await spoilBalance('-0.0001', ravi.userId);
    const run = await proofs.publish();
    await spoilBalance('-0.0001', asha.userId);
    await spoilBalance('0.0001', ravi.userId);
    expect(run).toMatchObject({ status: 'REFUSED', detail: { accountsDiffering: 2 } });
  });

  it('are not compared while the provider does not respond', async () => {
    const { code } = proofs.deps.goldProvider;
    const goldProvider = { code, getUser: async () => unknown('timeout') };
    const asking = createProofOfGold({ ...proofs.deps, goldProvider }, { confirmEveryMs: 1000 });
    const run = await proofs.publish(asking);
    expect(run).toMatchObject({ status: 'REFUSED', reason: 'PROVIDER_SILENT' });
    expect(run.detail?.['note']).toBe('safegold gave no answer: timeout');
  });

  it('are not signed without a key', async () => {
    const without = createProofOfGold({ ...proofs.deps, keys: [] }, { confirmEveryMs: 1000 });
    expect(without.sweeps).toEqual([]);
    const run = await proofs.publish(without);
    expect(run).toMatchObject({ status: 'REFUSED', reason: 'NO_SIGNING_KEY' });
  });
});

describe('a run', () => {
  it('that fails publishes nothing, and its next attempt starts from the beginning', async () => {
    const dying = createProofOfGold(
      {
        ...proofs.deps,
        // The worker fails after the leaves are written.
        readSnapshot: () => Promise.reject(new Error('killed')),
      },
      { confirmEveryMs: 1000 },
    );
    await proofs.publish();
    const before = await publicStatement();
    const { body } = await proofs.operator('POST', '/proof-of-gold/runs');
    await expect(proofs.drainProofs(dying)).rejects.toThrow('killed');
    const runId = String(body['id']);
    expect(await proofs.runOf(runId)).toMatchObject({ status: 'RUNNING', sequence: null });
    expect((await publicStatement()).hash).toBe(before.hash);
    await proofs.proofs.jobs['proof-of-gold.run']?.(
      { runId },
      {
        logger: proofs.system.logger,
        jobId: '1',
        attempt: 2,
        maxAttempts: 5,
        signal: new AbortController().signal,
      },
    );
    expect(await proofs.runOf(runId)).toMatchObject({ status: 'PUBLISHED' });
    await verify(await proofOf(asha.userId));
  });

  it('is returned while it is in progress, is audited once, and needs an ADMIN', async () => {
    const first = await proofs.operator('POST', '/proof-of-gold/runs');
    const second = await proofs.operator('POST', '/proof-of-gold/runs');
    expect(second.body['id']).toBe(first.body['id']);
    await proofs.drainProofs();
    const rows = await proofs.system.db.auditLog.findMany({
      where: { action: 'proof-of-gold.run', targetId: String(first.body['id']) },
    });
    expect(rows).toHaveLength(1);
  });
});

const sweep = async (): Promise<void> => {
  for (const { run } of proofs.proofs.sweeps) await run(new AbortController().signal);
};

const scheduled = (status: string) =>
  proofs.system.db.proofRun.count({ where: { trigger: 'SCHEDULE', status } });

describe('the schedule', () => {
  it('makes one statement of each IST day, even with several workers', async () => {
    await Promise.all([sweep(), sweep(), sweep()]);
    await proofs.drainProofs();
    await sweep();
    expect(await scheduled('QUEUED')).toBe(0);
    expect(await scheduled('PUBLISHED')).toBe(1);
    await proofs.advance(24 * 60 * 60);
    await sweep();
    await proofs.drainProofs();
    expect(await scheduled('PUBLISHED')).toBe(2);
  });

  it('tries again an hour after a refusal, and then publishes', async () => {
    await proofs.advance(24 * 60 * 60);
    await spoilBalance('0.0001', asha.userId);
    await sweep();
    await proofs.drainProofs();
    await spoilBalance('-0.0001', asha.userId);
    await sweep();
    expect(await scheduled('QUEUED')).toBe(0);
    await proofs.asOwner(
      `UPDATE proof_run SET touched_at = now() - interval '2 hours' WHERE status = 'REFUSED'`,
    );
    await sweep();
    await proofs.drainProofs();
    expect(await scheduled('PUBLISHED')).toBe(3);
  });
});

describe('the tree of an old statement', () => {
  it('is deleted after seven days with its salts, and the statement is kept', async () => {
    await proofs.publish();
    const { statement } = await publicStatement();
    const day = String(statement['day']);
    await proofs.advance(8 * 24 * 60 * 60);
    await proofs.publish();
    for (const { deleteBatch } of createProofPurges(proofs.system)) {
      while ((await deleteBatch(1)) > 0);
    }
    expect((await publicStatement(`?date=${day}`)).statement['day']).toBe(day);
    const old = await proofs.customerAs(asha.userId)('GET', `/portfolio/proof?date=${day}`);
    expect(old).toMatchObject({ status: 404 });
    await verify(await proofOf(asha.userId));
    expect(await proofs.system.db.proofRun.count({ where: { saltKey: { not: null } } })).toBe(1);
  });
});

describe('the files of the verifier', () => {
  it.each([
    ['verify', 'text/html; charset=utf-8'],
    ['verify.css', 'text/css; charset=utf-8'],
    ['verify-page.mjs', 'text/javascript; charset=utf-8'],
    ['verify.mjs', 'text/javascript; charset=utf-8'],
  ])('%s is served with a policy that sends nothing, in under 200 lines', async (path, type) => {
    const answer = await fetch(`${proofs.customerUrl}/public/proof-of-gold/${path}`);
    expect(answer.headers.get('content-type')).toBe(type);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.headers.get('content-security-policy')).not.toContain('connect-src');
    expect((await answer.text()).split('\n').length).toBeLessThan(200);
  });
});
