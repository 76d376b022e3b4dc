import { z } from 'zod';
import {
  emailText,
  exampleOf,
  opaqueText,
  pageOf,
  plainLine,
  plainName,
} from '../../platform/http/index.ts';
import { codeLifeSeconds } from './one-time-code.rules.ts';
import { kycStatuses, type KycStatus, type ListedSession, type User } from './identity.types.ts';
import { phoneSchema } from './phone.ts';
import { pushPlatforms, type PushToken } from './push-tokens.store.ts';

export const sendOtpBody = z.object({ phone: phoneSchema });
sendOtpBody.register(z.globalRegistry, {
  id: 'SendOtpRequest',
  examples: [{ phone: '+919812345678' }],
});

export const sendOtpAnswer = z.object({
  sent: z.literal(true),
  expiresInSec: z.literal(codeLifeSeconds),
});
sendOtpAnswer.register(z.globalRegistry, {
  id: 'OtpSent',
  description: 'A code was sent. It is valid for `expiresInSec` seconds.',
  examples: [{ sent: true, expiresInSec: codeLifeSeconds }],
});

const otp = z.string('must be text').regex(/^\d{6}$/u, 'must be 6 digits');
const mpin = z.string('must be text').regex(/^\d{4,6}$/u, 'must be 4 to 6 digits');
const deviceId = opaqueText(128);
const deviceName = plainLine(100);

export const verifyOtpBody = z.object({
  phone: phoneSchema,
  otp,
  deviceId: deviceId.optional(),
  deviceName: deviceName.optional(),
});
verifyOtpBody.register(z.globalRegistry, {
  id: 'VerifyOtpRequest',
  examples: [
    { phone: '+919812345678', otp: '482913', deviceId: 'pixel-9-4f2a', deviceName: 'Pixel 9' },
  ],
});

export const setMpinBody = z.object({ mpin, currentMpin: mpin.optional() });
setMpinBody.register(z.globalRegistry, { id: 'SetMpinRequest', examples: [{ mpin: '4829' }] });

export const mpinSignInBody = z.object({
  phone: phoneSchema,
  mpin,
  deviceId: deviceId.optional(),
  deviceName: deviceName.optional(),
});
mpinSignInBody.register(z.globalRegistry, {
  id: 'MpinSignInRequest',
  examples: [
    { phone: '+919812345678', mpin: '4829', deviceId: 'pixel-9-4f2a', deviceName: 'Pixel 9' },
  ],
});

export const resetMpinBody = z.object({
  phone: phoneSchema,
  otp,
  newMpin: mpin,
  deviceId: deviceId.optional(),
});
resetMpinBody.register(z.globalRegistry, {
  id: 'ResetMpinRequest',
  examples: [{ phone: '+919812345678', otp: '482913', newMpin: '7351' }],
});

export const mpinUpdated = z.object({ updated: z.literal(true) });
mpinUpdated.register(z.globalRegistry, {
  id: 'MpinUpdated',
  description: 'The MPIN was set.',
  examples: [{ updated: true }],
});

export const biometricTokenBody = z.object({
  deviceId: deviceId.optional(),
  currentMpin: mpin.optional(),
});
biometricTokenBody.register(z.globalRegistry, {
  id: 'BiometricTokenRequest',
  examples: [{ deviceId: 'pixel-9-4f2a' }],
});

export const biometricTokenAnswer = z.object({ biometricToken: z.string() });
biometricTokenAnswer.register(z.globalRegistry, {
  id: 'BiometricToken',
  description: 'The token that a device stores behind its screen lock.',
  examples: [{ biometricToken: 'h3Ns8KpW1xQz6VtB4mYr9LcD2fGj7aUe5RoT0iXwHvE' }],
});

export const biometricSignInBody = z.object({
  phone: phoneSchema,
  deviceId,
  biometricToken: opaqueText(256),
});
biometricSignInBody.register(z.globalRegistry, {
  id: 'BiometricSignInRequest',
  examples: [
    {
      phone: '+919812345678',
      deviceId: 'pixel-9-4f2a',
      biometricToken: 'h3Ns8KpW1xQz6VtB4mYr9LcD2fGj7aUe5RoT0iXwHvE',
    },
  ],
});

export const refreshTokenBody = z.object({ refreshToken: opaqueText(256) });
refreshTokenBody.register(z.globalRegistry, {
  id: 'RefreshTokenRequest',
  examples: [{ refreshToken: 'q7Rk2vXw9LmN4bTz6YpC1dHs8GfJ3aKe5UoQ0iWxVrE' }],
});

export const profileBody = z.object({
  full_name: plainName(100).optional(),
  email: emailText.optional(),
});
profileBody.register(z.globalRegistry, {
  id: 'UpdateProfileRequest',
  examples: [{ full_name: 'Asha Rao', email: 'asha@example.test' }],
});

const pushTokenText = opaqueText(1024);

export const pushTokenBody = z.object({ token: pushTokenText, platform: z.enum(pushPlatforms) });
pushTokenBody.register(z.globalRegistry, {
  id: 'RegisterPushTokenRequest',
  examples: [{ token: 'fcm-c1Yb7e:APA91bF', platform: 'android' }],
});

export const pushTokenParams = z.object({ token: pushTokenText });

export const pushTokenView = z.object({
  id: z.uuid(),
  token: z.string(),
  platform: z.enum(pushPlatforms),
  createdAt: z.iso.datetime(),
});
pushTokenView.register(z.globalRegistry, {
  id: 'PushToken',
  description: 'A device that can receive notifications.',
  examples: [
    {
      id: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
      token: 'fcm-c1Yb7e:APA91bF',
      platform: 'android',
      createdAt: '2026-01-15T09:30:00.000Z',
    },
  ],
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
  description: "The customer's own profile.",
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

const exampleSignIn = {
  accessToken: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJleGFtcGxlIn0.c2lnbmF0dXJl',
  refreshToken: 'q7Rk2vXw9LmN4bTz6YpC1dHs8GfJ3aKe5UoQ0iWxVrE',
  user: exampleOf(userView),
  mpinSet: false,
};

export const signInAnswer = z.object({
  accessToken: z.string(),
  refreshToken: z.string(),
  user: userView,
  mpinSet: z.boolean(),
});
signInAnswer.register(z.globalRegistry, {
  id: 'SignIn',
  description: 'An access token and a refresh token, with the customer they belong to.',
  examples: [exampleSignIn],
});

export const verifyOtpAnswer = signInAnswer.extend({ isNewUser: z.boolean() });
verifyOtpAnswer.register(z.globalRegistry, {
  id: 'OtpSignIn',
  description:
    'A sign-in by one-time code. The first sign-in with a phone number creates the account.',
  examples: [{ ...exampleSignIn, isNewUser: true }],
});

const sessionView = z.object({
  id: z.uuid(),
  deviceId: z.string(),
  deviceName: z.string().nullable(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  biometric: z.boolean().describe('True if the device can sign in with a biometric token.'),
  trusted: z.boolean().describe('True if the device can sign in with the MPIN.'),
  current: z.boolean().describe('True for the session that sent this request.'),
});
sessionView.register(z.globalRegistry, {
  id: 'Session',
  description: 'A device that is signed in, or that can sign in without a code.',
  examples: [
    {
      id: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
      deviceId: 'pixel-9-4f2a',
      deviceName: 'Pixel 9',
      createdAt: '2026-01-15T09:30:00.000Z',
      lastUsedAt: '2026-01-15T09:31:00.000Z',
      expiresAt: '2026-02-14T09:31:00.000Z',
      biometric: false,
      trusted: true,
      current: true,
    },
  ],
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

export const presentSession = (session: ListedSession, currentId: string) => ({
  id: session.id,
  deviceId: session.deviceId,
  deviceName: session.deviceName,
  createdAt: session.createdAt.toISOString(),
  lastUsedAt: session.lastUsedAt.toISOString(),
  expiresAt: session.expiresAt.toISOString(),
  biometric: session.biometric,
  trusted: session.trusted,
  current: session.id === currentId,
});
