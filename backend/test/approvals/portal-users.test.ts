import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCaller } from '#test/support/caller.ts';
import { createFactories, type Factories } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { serveAccountingApi } from '#test/support/serve-apis.ts';
import type { PortalRole } from '../../src/modules/accounting/index.ts';

let system: TestSystem;
let make: Factories;
let url: string;

beforeAll(async () => {
  system = await openTestSystem();
  make = createFactories(system);
  const env = { SECOND_OPERATOR_ACTIONS: 'statutory_parameters' };
  ({ url } = await serveAccountingApi(system, { env }));
  setMode('readwrite');
});

afterAll(async () => system.close());

const setMode = (mode: string) =>
  writeFileSync(join(system.settingsDir, 'ACCOUNTING_PORTAL_MODE'), mode);

const user = async (role: PortalRole) => {
  const portalUser = await make.portalUser(role);
  return { ...portalUser, call: createCaller(url, { 'x-portal-token': portalUser.token }) };
};

it('a second portal user approves a statutory parameter', async () => {
  const [asking, other, viewer] = [
    await user('tax_officer'),
    await user('finance_head'),
    await user('accountant'),
  ];
  const path = '/gold/statutory-parameters/tcs_rate_bps';
  const body = { value: '100', effectiveFrom: '2031-04-01', note: 'as the budget has it' };
  expect(await asking.call('PUT', path, { ...body, value: '10001' })).toMatchObject({
    status: 400,
  });
  const request = await asking.call('PUT', path, body);
  expect(request).toMatchObject({
    status: 202,
    body: { action: 'statutory_parameters', target: 'tcs_rate_bps', status: 'PENDING', body },
  });
  const parameters = () => system.db.statutoryParameter.count({ where: { key: 'tcs_rate_bps' } });
  expect(await parameters()).toBe(0);
  expect(await asking.call('PUT', path, body)).toMatchObject({ status: 409, code: 'CONFLICT' });

  const id = String(request.body['approvalId']);
  const approve = ({ call }: Pick<typeof asking, 'call'>) =>
    call('POST', `/gold/approvals/${id}/approve`);
  expect(await approve(viewer)).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
  expect(await viewer.call('GET', `/gold/approvals/${id}`)).toMatchObject({ status: 200 });
  expect(await approve(asking)).toMatchObject({ status: 403, code: 'OTHER_PERSON_REQUIRED' });
  setMode('readonly');
  expect(await approve(other)).toMatchObject({ status: 403, code: 'READ_ONLY_MODE' });
  setMode('readwrite');
  expect(await approve(other)).toMatchObject({ status: 200, body: { status: 'APPROVED' } });
  expect(await parameters()).toBe(1);
  const row = await system.db.auditLog.findFirstOrThrow({
    where: { action: 'accounting.statutory-parameter.put' },
  });
  expect(row).toMatchObject({
    actorId: other.portalUserId,
    after: { value: '100', requestedBy: asking.email, approvalId: id },
  });
});

it('a request is not executed if its requester has lost the permission', async () => {
  const [asking, other] = [await user('tax_officer'), await user('finance_head')];
  const path = '/gold/statutory-parameters/stamp_duty_bps';
  const request = await asking.call('PUT', path, { value: '5', effectiveFrom: '2031-04-01' });
  const id = String(request.body['approvalId']);
  await system.db.portalUser.update({
    where: { id: asking.portalUserId },
    data: { permissions: [] },
  });
  const answer = await other.call('POST', `/gold/approvals/${id}/approve`);
  expect(answer).toMatchObject({ status: 409, code: 'CONFLICT' });
  const rejected = await other.call('POST', `/gold/approvals/${id}/reject`, { reason: 'left us' });
  expect(rejected).toMatchObject({ status: 200, body: { status: 'REJECTED', reason: 'left us' } });
});
