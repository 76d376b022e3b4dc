import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { createCaller, openSandbox, type OpenSandbox } from '../../testing/open-sandbox.ts';

const workflow = '/repos/digital-gold/service/actions/workflows/deploy-backend.yml';

let open: OpenSandbox;

beforeAll(async () => {
  open = await openSandbox({ settleMs: 300 });
});
beforeEach(() => open.control('POST', '/reset'));
afterAll(() => open.stop());

const start = (body: object = { ref: 'main' }) =>
  open.github('POST', `${workflow}/dispatches`, body);
const list = async (query = '') => (await open.github('GET', `${workflow}/runs${query}`)).body;
const titles = async (query: string) => {
  const { workflow_runs: runs } = await list(query);
  return (runs as { display_title: string }[]).map((run) => run.display_title);
};
const newest = async () => (await list())['workflow_runs'];

describe('callers', () => {
  it.each([{}, { authorization: 'Bearer x' }, { authorization: 'Basic eDp5' }])(
    'needs the token, not %j',
    async (headers) => {
      const response = await createCaller(`${open.url}/github`, headers)('GET', `${workflow}/runs`);
      expect(response).toMatchObject({ status: 401, body: { message: 'Bad credentials' } });
    },
  );

  it('turns everybody away without a token of its own', async () => {
    const closed = await openSandbox({ githubToken: undefined });
    expect(await closed.github('GET', `${workflow}/runs`)).toMatchObject({ status: 401 });
    const nobody = createCaller(`${closed.url}/github`, { authorization: 'Bearer undefined' });
    expect(await nobody('GET', `${workflow}/runs`)).toMatchObject({ status: 401 });
    await closed.stop();
  });

  it('knows the deployment workflows alone', async () => {
    const other = workflow.replace('deploy-backend', 'ci');
    for (const response of [
      await open.github('GET', `${other}/runs`),
      await open.github('POST', `${other}/dispatches`, { ref: 'main' }),
    ]) {
      expect(response).toMatchObject({
        status: 404,
        body: { message: 'Not Found', status: '404' },
      });
    }
  });
});

describe('a dispatch', () => {
  it('answers blank, or with the run where it is asked to', async () => {
    expect(await start()).toMatchObject({ status: 204, text: '' });
    const response = await start({ ref: 'refs/heads/main', return_run_details: true });
    expect(response.status).toBe(200);
    expect(await newest()).toMatchObject([
      { id: response.body['workflow_run_id'], html_url: response.body['html_url'] },
      { display_title: 'Deploy backend' },
    ]);
  });

  it.each([
    [{}, 'Invalid request.'],
    [{ ref: 'other' }, 'No ref found for: other'],
    [{ ref: 'main', inputs: { environment: 'x' } }, 'Unexpected inputs provided: ["environment"]'],
  ])('refuses %j', async (body, message) => {
    expect(await start(body)).toMatchObject({ status: 422, body: { message } });
    expect(await list()).toEqual({ total_count: 0, workflow_runs: [] });
  });
});

describe('a run', () => {
  it('ends by itself', async () => {
    await start({ ref: 'main', inputs: { correlation_id: 'one' } });
    await eventually(async () => {
      expect(await newest()).toMatchObject([{ status: 'completed', conclusion: 'success' }]);
    });
  });

  it('ends as a control says, by either id, and is seen', async () => {
    await start({ ref: 'main', inputs: { correlation_id: 'one' } });
    const ended = await open.control('POST', '/runs/one', { conclusion: 'failure' });
    expect(ended).toMatchObject({ status: 200, body: { conclusion: 'failure' } });
    const again = await open.control('POST', `/runs/${String(ended.body['id'])}`, {
      conclusion: 'cancelled',
    });
    expect(again.body).toMatchObject({ correlationId: 'one', conclusion: 'cancelled' });
    expect(await newest()).toMatchObject([{ status: 'completed', conclusion: 'cancelled' }]);
    for (const path of ['/runs', '/overview']) {
      const { body } = await open.control('GET', path);
      expect(body[path === '/runs' ? 'items' : 'runs']).toMatchObject([{ correlationId: 'one' }]);
    }
    expect(await open.control('POST', '/runs/two', { conclusion: 'failure' })).toMatchObject({
      status: 404,
    });
    expect(await open.control('POST', '/runs/one', { conclusion: 'fine' })).toMatchObject({
      status: 400,
    });
  });

  it('is of one repository and one workflow, and listed in pages', async () => {
    for (const id of ['one', 'two', 'three']) {
      await start({ ref: 'main', inputs: { correlation_id: id } });
    }
    expect(await titles('?per_page=2')).toEqual(['Deploy backend (three)', 'Deploy backend (two)']);
    expect(await titles('?per_page=2&page=2')).toEqual(['Deploy backend (one)']);
    expect(await titles('?per_page=0&page=x')).toEqual(['Deploy backend (three)']);
    for (const other of [
      workflow.replace('service', 'site'),
      workflow.replace('backend', 'website'),
    ]) {
      const { body } = await open.github('GET', `${other}/runs`);
      expect(body).toMatchObject({ total_count: 0 });
    }
  });

  it('outlives the process in its store', async () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'sandbox-runs-'));
    const first = await openSandbox({ stateDir });
    await first.github('POST', `${workflow}/dispatches`, { ref: 'main' });
    await first.stop();
    const second = await openSandbox({ stateDir });
    const { body } = await second.github('GET', `${workflow}/runs`);
    expect(body).toMatchObject({ total_count: 1 });
    await second.stop();
    rmSync(stateDir, { recursive: true, force: true });
  });
});
