import { z } from 'zod';
import { pageOf } from '../../platform/http/index.ts';
import { codeLifeSeconds } from './one-time-code.rules.ts';
import { kycStatuses, type KycStatus, type Session, type User } from './identity.types.ts';
import { phoneSchema } from './phone.ts';
import { pushPlatforms, type PushToken } from './push-tokens.store.ts';

/** Accepts free text of bounded length without control characters. */
const plainText = (maxLength: number) =>
  z
    .string('must be text')
    .min(1, 'must not be empty')
    .max(maxLength, `must have at most ${maxLength} characters`)
    // No pattern: generators in other languages refuse Unicode property classes.
    .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), 'must not contain control characters');

export const sendOtpBody = z.object({ phone: phoneSchema });

export const sendOtpAnswer = z.object({
  sent: z.literal(true),
  expiresInSec: z.literal(codeLifeSeconds),
});

const otp = z.string('must be text').regex(/^\d{6}$/u, 'must be 6 digits');
const mpin = z.string('must be text').regex(/^\d{4,6}$/u, 'must be 4 to 6 digits');
const deviceId = plainText(128);
const deviceName = plainText(100);

export const verifyOtpBody = z.object({
  phone: phoneSchema,
  otp,
  deviceId: deviceId.optional(),
  deviceName: deviceName.optional(),
});

export const setMpinBody = z.object({ mpin });

export const mpinSignInBody = z.object({
  phone: phoneSchema,
  mpin,
  deviceId: deviceId.optional(),
  deviceName: deviceName.optional(),
});

export const resetMpinBody = z.object({ phone: phoneSchema, otp, newMpin: mpin });

export const mpinUpdated = z.object({ updated: z.literal(true) });

export const biometricTokenBody = z.object({ deviceId: deviceId.optional() });

export const biometricTokenAnswer = z.object({ biometricToken: z.string() });

export const biometricSignInBody = z.object({
  phone: phoneSchema,
  deviceId,
  biometricToken: plainText(256),
});

export const refreshTokenBody = z.object({ refreshToken: plainText(256) });

export const profileBody = z.object({
  full_name: plainText(100)
    .transform((text) => text.trim())
    .pipe(z.string().min(1, 'must not be empty'))
    .optional(),
  email: plainText(254)
    .transform((text) => text.trim().toLowerCase())
    .pipe(z.email('must be an email address'))
    .optional(),
});

const pushTokenText = plainText(1024);

export const pushTokenBody = z.object({ token: pushTokenText, platform: z.enum(pushPlatforms) });

export const pushTokenParams = z.object({ token: pushTokenText });

export const pushTokenView = z.object({
  id: z.uuid(),
  token: z.string(),
  platform: z.enum(pushPlatforms),
  createdAt: z.iso.datetime(),
});
pushTokenView.register(z.globalRegistry, {
  id: 'PushToken',
  description: 'A device that notifications could be delivered to.',
});

export const presentPushToken = ({ createdAt, ...token }: PushToken) => ({
  ...token,
  createdAt: createdAt.toISOString(),
});

/** The customer's view of their own account. */
export const userView = z.object({
  id: z.uuid(),
  phone: z.string(),
  full_name: z.string().nullable(),
  email: z.string().nullable(),
  referralCode: z.string(),
  kycStatus: z.enum(kycStatuses),
  mpinSet: z.boolean(),
  createdAt: z.iso.datetime(),
});
userView.register(z.globalRegistry, {
  id: 'User',
  description: 'The customer, as they see themselves.',
  examples: [
    {
      id: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
      phone: '+919812345678',
      full_name: 'Asha Rao',
      email: 'asha@example.test',
      referralCode: 'GOLD7K2M',
      kycStatus: 'APPROVED',
      mpinSet: false,
      createdAt: '2026-01-15T09:30:00.000Z',
    },
  ],
});

export const signInAnswer = z.object({
  accessToken: z.string(),
  refreshToken: z.string(),
  user: userView,
  mpinSet: z.boolean(),
});

export const verifyOtpAnswer = signInAnswer.extend({ isNewUser: z.boolean() });

const sessionView = z.object({
  id: z.uuid(),
  deviceId: z.string(),
  deviceName: z.string().nullable(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  /** True for the session of the request's own token. */
  current: z.boolean(),
});
sessionView.register(z.globalRegistry, {
  id: 'Session',
  description: 'A device that is signed in.',
});

export const sessionPage = pageOf(sessionView);

export const presentUser = (user: User, kycStatus: KycStatus) => ({
  id: user.id,
  phone: user.phone,
  full_name: user.fullName,
  email: user.email,
  referralCode: user.referralCode,
  kycStatus,
  mpinSet: user.mpinSet,
  createdAt: user.createdAt.toISOString(),
});

export const presentSession = (session: Session, currentId: string) => ({
  id: session.id,
  deviceId: session.deviceId,
  deviceName: session.deviceName,
  createdAt: session.createdAt.toISOString(),
  lastUsedAt: session.lastUsedAt.toISOString(),
  expiresAt: session.expiresAt.toISOString(),
  current: session.id === currentId,
});
