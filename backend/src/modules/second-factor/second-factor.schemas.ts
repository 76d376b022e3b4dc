import { z } from 'zod';
import { plainText } from '../../platform/http/index.ts';
import type { FactorState } from './second-factors.ts';

/** Accepts a code of the app or a recovery code, as people type it. */
export const factorCode = z
  .string()
  .regex(/^[\dA-Za-z][\dA-Za-z -]{4,30}[\dA-Za-z]$/u, 'must be six digits or a recovery code');

export const enrolBody = z.object({ password: z.string().min(1).max(256) });
enrolBody.register(z.globalRegistry, {
  id: 'SecondFactorEnrolment',
  examples: [{ password: 'correct horse battery staple' }],
});

export const enrolAnswer = z.object({
  secret: z.string().describe('The secret in base32, to type if no QR code can be scanned.'),
  address: z.string().describe('The `otpauth:` address to show as a QR code.'),
});
enrolAnswer.register(z.globalRegistry, {
  id: 'SecondFactorSecret',
  description: 'The secret of an authenticator app. It is shown only once.',
  examples: [
    {
      secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
      address:
        'otpauth://totp/Digital%20Gold:operator%40example.test?issuer=Digital%20Gold' +
        '&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
    },
  ],
});

export const confirmBody = z.object({ code: factorCode });
confirmBody.register(z.globalRegistry, {
  id: 'SecondFactorConfirmation',
  examples: [{ code: '492039' }],
});

export const renewBody = z.object({ password: z.string().min(1).max(256), code: factorCode });
renewBody.register(z.globalRegistry, {
  id: 'RecoveryCodesRequest',
  examples: [{ password: 'correct horse battery staple', code: '492039' }],
});

export const recoveryCodesView = z.object({ recoveryCodes: z.array(z.string()) });
recoveryCodesView.register(z.globalRegistry, {
  id: 'RecoveryCodes',
  description:
    'Recovery codes. Each can be used once instead of a code of the app. They are shown only once.',
  examples: [{ recoveryCodes: ['KJ2A-MZ7Q-4XPL-R6TV'] }],
});

export const factorView = z.object({
  state: z
    .enum(['NONE', 'PENDING', 'ACTIVE'])
    .describe('PENDING until the first code is entered. Until then, sign-in needs no code.'),
  required: z.boolean().describe('True if the caller can only set up the app until it is active.'),
  confirmedAt: z.iso.datetime().nullable(),
  recoveryCodesLeft: z.int(),
});
factorView.register(z.globalRegistry, {
  id: 'SecondFactor',
  description: 'The authenticator app of the caller.',
  examples: [
    {
      state: 'ACTIVE',
      required: true,
      confirmedAt: '2026-01-15T09:30:00.000Z',
      recoveryCodesLeft: 10,
    },
  ],
});

export const presentFactor = (
  { state, confirmedAt, recoveryCodesLeft }: FactorState,
  required: boolean,
) => ({ state, required, confirmedAt: confirmedAt?.toISOString() ?? null, recoveryCodesLeft });

export const disableBody = z.object({ reason: plainText(500) });
disableBody.register(z.globalRegistry, {
  id: 'SecondFactorDisabling',
  examples: [{ reason: 'Lost the phone. Asked by telephone, known by voice.' }],
});
