import type { Clock } from '../../../../platform/clock/clock.ts';

/** A message that would have reached a phone. */
interface Message {
  /** With its country code, such as `+919876543210`. */
  readonly phone: string;
  readonly text: string;
  readonly otp: string | null;
  readonly at: string;
}

export interface MessageStore {
  add(message: Omit<Message, 'at'>): void;
  /** Lists the newest first; those of one phone when it is given, in any form of the number. */
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
