import { z } from 'zod';
import { createDemoClient } from '../demo-client.ts';
import type { Step } from '../demo.types.ts';

const healthWire = z.object({ status: z.literal('ok') });
const documentWire = z.object({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) });

/** All three APIs answer; two of them say what they can. */
export const checkProcesses: Step = {
  title: 'The three APIs answer',
  async run(demo) {
    const described: string[] = [];
    for (const api of ['customer', 'admin', 'accounting'] as const) {
      await demo.visitor(api, '10.0.0.1').ask({ method: 'GET', path: '/health', read: healthWire });
      if (api === 'accounting') continue;
      const root = createDemoClient({ network: demo.network, base: demo.endpoints[api] });
      const { body } = await root.ask({
        method: 'GET',
        path: '/docs/openapi.json',
        read: documentWire,
      });
      described.push(`${api} (OpenAPI ${body.openapi}, ${Object.keys(body.paths).length} paths)`);
    }
    return [`${described.join(', ')}, accounting`];
  },
};
