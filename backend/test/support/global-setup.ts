import type { TestProject } from 'vitest/node';
import { generateClient } from '../../build.ts';
import { createTestServers } from './test-servers.ts';
import { serveTestServers } from './test-servers-api.ts';

/**
 * Gives every test file of a run the same servers. Nothing is started until a test asks for it,
 * so a run of tests that need no database costs nothing. Only the database client must be there
 * before, since the code imports it.
 */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  await generateClient();
  const servers = createTestServers({
    adminUrl: process.env['DATABASE_URL'],
    redisUrl: process.env['REDIS_URL'],
    isPooled: process.env['TEST_POOLER'] === 'pgbouncer',
  });
  const api = await serveTestServers(servers);
  project.provide('testServersUrl', api.url);
  return async () => {
    await api.close();
    await servers.stop();
  };
};

declare module 'vitest' {
  export interface ProvidedContext {
    testServersUrl: string;
  }
}
