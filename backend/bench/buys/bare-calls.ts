import { Agent, request } from 'undici';
import { z } from 'zod';
import type { ProcessEnvironment } from '../../dev/stack/environment.ts';

const entrySchema = z.object({
  seq: z.number(),
  operation: z.string(),
  path: z.string(),
  body: z.record(z.string(), z.unknown()),
});
const journalSchema = z.object({ entries: z.array(entrySchema) });

/** The requests that the service sent to its two collaborators for a buy order. */
export interface RecordedCalls {
  readonly verify: z.output<typeof entrySchema>;
  readonly gatewayOrder: z.output<typeof entrySchema>;
}

/** Reads the newest call of each kind from the sandbox's journal. */
export const readCalls = async (sandboxUrl: string): Promise<RecordedCalls> => {
  const newest = async (operation: string) => {
    const response = await fetch(`${sandboxUrl}/_control/journal?operation=${operation}`);
    const found = journalSchema.parse(await response.json()).entries.at(-1);
    if (found === undefined) throw new Error(`the sandbox was never asked to ${operation}`);
    return found;
  };
  return { verify: await newest('buy-verify'), gatewayOrder: await newest('create-order') };
};

interface BareCalls {
  verify(calls: RecordedCalls, providerUserId: string): Promise<void>;
  openOrder(calls: RecordedCalls, receipt: string): Promise<void>;
  close(): Promise<void>;
}

/** Sends the same calls by the same HTTP library, without the code of the service. */
export const createBareCalls = (sandboxUrl: string, env: ProcessEnvironment): BareCalls => {
  const agent = new Agent({ connections: 64, pipelining: 1 });
  const read = (name: string): string => env[name] ?? '';
  const key = `${read('SANDBOX_GATEWAY_KEY_ID')}:${read('SANDBOX_GATEWAY_KEY_SECRET')}`;
  const basic = `Basic ${Buffer.from(key).toString('base64')}`;
  const post = async (path: string, authorization: string, body: object): Promise<void> => {
    const response = await request(sandboxUrl + path, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      dispatcher: agent,
    });
    const text = await response.body.text();
    if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode} ${text}`);
  };
  return {
    verify: ({ verify }, providerUserId) =>
      post(
        verify.path.replace(/(?<=\/users\/)[^/]+/u, providerUserId),
        `Bearer ${read('SAFEGOLD_TOKEN')}`,
        verify.body,
      ),
    openOrder: ({ gatewayOrder }, receipt) =>
      post(gatewayOrder.path, basic, { ...gatewayOrder.body, receipt }),
    close: () => agent.close(),
  };
};
