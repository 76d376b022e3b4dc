import { sandboxDefaults } from '../sandbox-options.ts';
import { startSandbox, type Sandbox } from '../start-sandbox.ts';

type Json = Readonly<Record<string, unknown>>;

/** What a call came to; `body` is what JSON parsing gives, or the text where that fails. */
export interface Told {
  readonly status: number;
  readonly body: Json;
  readonly text: string;
}

type Ask = (method: string, path: string, body?: unknown) => Promise<Told>;

/** A running sandbox and its callers, each with the right credential. */
export interface OpenSandbox {
  readonly sandbox: Sandbox;
  readonly url: string;
  readonly safegold: Ask;
  readonly gateway: Ask;
  readonly msg91: Ask;
  readonly razorpayx: Ask;
  readonly github: Ask;
  readonly control: Ask;
  readonly stop: () => Promise<void>;
}

const parse = (text: string): Json => {
  try {
    // Every answer of the sandbox that is JSON is an object.
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
};

/** Calls `base` with these headers. */
export const asker =
  (base: string, headers: Readonly<Record<string, string>> = {}): Ask =>
  async (method, path, body) => {
    const response = await fetch(base + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: parse(text), text };
  };

const basic = (keyId: string, keySecret: string) => ({
  authorization: `Basic ${Buffer.from(`${keyId}:${keySecret}`).toString('base64')}`,
});

/** Starts a sandbox on a free port. */
export const openSandbox = async (
  options: Parameters<typeof startSandbox>[0] = {},
): Promise<OpenSandbox> => {
  const sandbox = await startSandbox(options);
  const { url } = sandbox;
  const known = sandboxDefaults;
  const { safegoldToken, msg91AuthKey } = known;
  return {
    sandbox,
    url,
    safegold: asker(`${url}/safegold`, { authorization: `Bearer ${safegoldToken}` }),
    gateway: asker(`${url}/gateway`, basic(known.gatewayKeyId, known.gatewayKeySecret)),
    msg91: asker(`${url}/msg91`, { authkey: msg91AuthKey }),
    razorpayx: asker(`${url}/razorpayx`, basic(known.razorpayxKeyId, known.razorpayxKeySecret)),
    github: asker(`${url}/github`, { authorization: `Bearer ${String(known.githubToken)}` }),
    control: asker(`${url}/_control`),
    stop: () => sandbox.stop(),
  };
};
