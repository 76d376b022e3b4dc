import { sandboxDefaults } from '../sandbox-options.ts';
import { startSandbox, type Sandbox } from '../start-sandbox.ts';

type Json = Readonly<Record<string, unknown>>;

/** A response of the sandbox. `body` is its JSON, empty when the text is none. */
export interface CallResponse {
  readonly status: number;
  readonly body: Json;
  readonly text: string;
}

type Caller = (method: string, path: string, body?: unknown) => Promise<CallResponse>;

/** Gives a running sandbox and its callers, each with the right credential. */
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
    // Every answer of the sandbox that is JSON is an object.
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

/** Starts a sandbox on a free port, its lists without rows about something else. */
export const openSandbox = async (
  options: Parameters<typeof startSandbox>[0] = {},
): Promise<OpenSandbox> => {
  const sandbox = await startSandbox({ addsOddRows: false, ...options });
  const { url } = sandbox;
  const known = sandboxDefaults;
  const { safegoldToken, msg91AuthKey } = known;
  const control = createCaller(`${url}/_control`);
  return {
    sandbox,
    url,
    safegold: createCaller(`${url}/safegold`, { authorization: `Bearer ${safegoldToken}` }),
    gateway: createCaller(`${url}/gateway`, basic(known.gatewayKeyId, known.gatewayKeySecret)),
    razorpay: createCaller(`${url}/razorpay`, basic(known.razorpayKeyId, known.razorpayKeySecret)),
    msg91: createCaller(`${url}/msg91`, { authkey: msg91AuthKey }),
    razorpayx: createCaller(
      `${url}/razorpayx`,
      basic(known.razorpayxKeyId, known.razorpayxKeySecret),
    ),
    github: createCaller(`${url}/github`, { authorization: `Bearer ${String(known.githubToken)}` }),
    control,
    async codeFor(phone) {
      const { body } = await control('GET', `/sms?phone=${encodeURIComponent(phone)}`);
      const [newest] = body['messages'] as { otp: string }[]; // the control's own view
      return newest?.otp ?? '';
    },
    stop: () => sandbox.stop(),
  };
};
