import type { Clock } from '../../../../platform/clock/clock.ts';
import type { Random } from '../../../../platform/ids/random.ts';
import {
  fieldsOf,
  okAnswer,
  textOf,
  type Answer,
  type Call,
  type Collaborator,
} from '../../core/collaborator.ts';
import { isSameSecret } from '../../core/credentials.ts';

/** A message that would have reached a phone. */
interface Message {
  /** With its country code, such as `+919876543210`. */
  readonly phone: string;
  readonly text: string;
  readonly otp: string | null;
  readonly at: string;
}

interface MessageStore {
  add(message: Omit<Message, 'at'>): void;
  /**
   * Lists the messages, newest first. With `phone`, in any form of its number, lists only the
   * messages of that phone.
   */
  list(phone?: string): readonly Message[];
  clear(): void;
}

const lastTenDigits = (phone: string): string => phone.replace(/\D/gu, '').slice(-10);

/** Keeps every message until it is cleared. */
export const createMessageStore = (clock: Clock): MessageStore => {
  const messages: Message[] = [];
  return {
    add(message) {
      messages.push({ ...message, at: clock.now().toISOString() });
    },
    list(phone) {
      const wanted = phone === undefined ? undefined : lastTenDigits(phone);
      return messages
        .filter((message) => wanted === undefined || lastTenDigits(message.phone) === wanted)
        .toReversed();
    },
    clear() {
      messages.length = 0;
    },
  };
};

interface Msg91Options {
  readonly messages: MessageStore;
  readonly random: Random;
  readonly authKey: string;
}

/** Reports an error as MSG91 does, with status 200 and its `type`. */
const failed = (message: string): Answer => okAnswer({ type: 'error', message });

const mobilePattern = /^\d{10,15}$/u;
const otpPattern = /^\d{4,9}$/u;
const defaultOtpMinutes = 1440;

/** Returns the OTP of a template message, which is the variable of that name. */
const otpOf = (variables: Readonly<Record<string, unknown>>): string | null => {
  const named = Object.entries(variables).find(([name]) => /^otp$/iu.test(name));
  return textOf(named?.[1]) ?? null;
};

/** Creates MSG91, the SMS provider, which keeps messages for `GET /_control/sms` instead. */
export const createMsg91 = ({ messages, random, authKey }: Msg91Options): Collaborator => {
  const sent = (): Answer =>
    okAnswer({ type: 'success', request_id: random.uuid().replaceAll('-', '') });

  const sendOtp = ({ query, body }: Call): Answer => {
    const fields = { ...Object.fromEntries(query), ...fieldsOf(body) };
    const mobile = textOf(fields['mobile']) ?? '';
    const otp = textOf(fields['otp']) ?? random.digits(6);
    if (textOf(fields['template_id']) === undefined) return failed('Template ID missing');
    if (!mobilePattern.test(mobile)) return failed('Mobile number is not valid');
    if (!otpPattern.test(otp)) return failed('OTP is not valid');
    const minutes = textOf(fields['otp_expiry']) ?? String(defaultOtpMinutes);
    const text = `${otp} is your verification code. It is valid for ${minutes} minutes.`;
    messages.add({ phone: `+${mobile}`, text, otp });
    return sent();
  };

  const sendTemplate = ({ body }: Call): Answer => {
    const fields = fieldsOf(body);
    const template = textOf(fields['template_id']) ?? textOf(fields['flow_id']);
    const recipients = Array.isArray(fields['recipients'])
      ? fields['recipients'].map(fieldsOf)
      : [];
    if (template === undefined) return failed('Template ID missing');
    if (recipients.length === 0) return failed('Recipients missing');
    if (recipients.some(({ mobiles }) => !mobilePattern.test(textOf(mobiles) ?? ''))) {
      return failed('Mobile number is not valid');
    }
    for (const { mobiles, ...variables } of recipients) {
      const values = Object.entries(variables).map(([name, value]) => `${name}=${textOf(value)}`);
      const text = [`Template ${template}`, ...values].join(' · ');
      messages.add({ phone: `+${textOf(mobiles)}`, text, otp: otpOf(variables) });
    }
    return sent();
  };

  return {
    name: 'msg91',
    mountPath: '/msg91',
    operations: [
      { name: 'send', method: 'POST', path: '/api/v5/otp', handle: sendOtp },
      { name: 'send', method: 'POST', path: '/api/v5/flow', handle: sendTemplate },
    ],
    refuseUnauthenticated: ({ headers, query }) => {
      const given = headers['authkey'] ?? query.get('authkey');
      return isSameSecret(String(given), authKey) ? undefined : failed('Authentication failure');
    },
    errorBody: (_status, message) => ({ type: 'error', message }),
    // Messages do not outlive the process.
    store: { save: () => null, load: () => {}, clear: () => messages.clear() },
  };
};
