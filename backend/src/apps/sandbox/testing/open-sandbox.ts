import { sandboxDefaults } from '../sandbox-options.ts';
import { startSandbox, type Sandbox } from '../start-sandbox.ts';

type Json = Readonly<Record<string, unknown>>;

/** A response of the sandbox. `body` is its JSON, or an empty object if the text is not JSON. */
export interface CallResponse {
  readonly status: number;
  readonly body: Json;
  readonly text: string;
}

type Caller = (method: string, path: string, body?: unknown) => Promise<CallResponse>;

/** A running sandbox and its callers, each with the right credential. */
export interface OpenSandbox {
  readonly sandbox: Sandbox;
  readonly url: string;
  readonly safegold: Caller;
  readonly gateway: Caller;
  readonly razorpay: Caller;
  readonly msg91: Caller;
  readonly razorpayx: Caller;
  readonly github: Caller;
  readonly control: Caller;
  /** Returns the code of the newest SMS to a phone, or empty if none has reached it. */
  codeFor(phone: string): Promise<string>;
  readonly stop: () => Promise<void>;
}

const parse = (text: string): Json => {
  try {
    // Every JSON answer of the sandbox is an object.
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
};

/** Creates a function that calls `base` with these headers. */
export const createCaller =
  (base: string, headers: Readonly<Record<string, string>> = {}): Caller =>
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

/** Starts a sandbox on a free port, without unrelated rows in its lists. */
export const openSandbox = async (
  options: Parameters<typeof startSandbox>[0] = {},
): Promise<OpenSandbox> => {
  const sandbox = await startSandbox({ addsOddRows: false, ...options });
  const { url } = sandbox;
  const defaults = sandboxDefaults;
  const { safegoldToken, msg91AuthKey } = defaults;
  const control = createCaller(`${url}/_control`);
  return {
    sandbox,
    url,
    safegold: createCaller(`${url}/safegold`, { authorization: `Bearer ${safegoldToken}` }),
    gateway: createCaller(
      `${url}/gateway`,
      basic(defaults.gatewayKeyId, defaults.gatewayKeySecret),
    ),
    razorpay: createCaller(
      `${url}/razorpay`,
      basic(defaults.razorpayKeyId, defaults.razorpayKeySecret),
    ),
    msg91: createCaller(`${url}/msg91`, { authkey: msg91AuthKey }),
    razorpayx: createCaller(
      `${url}/razorpayx`,
      basic(defaults.razorpayxKeyId, defaults.razorpayxKeySecret),
    ),
    github: createCaller(`${url}/github`, {
      authorization: `Bearer ${String(defaults.githubToken)}`,
    }),
    control,
    async codeFor(phone) {
      const { body } = await control('GET', `/sms?phone=${encodeURIComponent(phone)}`);
      const [newest] = body['messages'] as { otp: string }[]; // the control's own view
      return newest?.otp ?? '';
    },
    stop: () => sandbox.stop(),
  };
};
