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
  /** Newest first; of one phone where it is given, in any of the forms people write it in. */
  list(phone?: string): readonly Message[];
  clear(): void;
}

const lastTenDigits = (phone: string): string => phone.replace(/\D/gu, '').slice(-10);

/** Messages sent, all kept. */
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
