import { z } from 'zod';
import { plainText } from '../../platform/http/index.ts';
import type { FactorState } from './second-factors.ts';

/** A code of the app, or a recovery code, as people type it. */
export const factorCode = z
  .string()
  .regex(/^[\dA-Za-z][\dA-Za-z -]{4,30}[\dA-Za-z]$/u, 'must be six digits or a recovery code');

export const enrolBody = z.object({ password: z.string().min(1).max(256) });
enrolBody.register(z.globalRegistry, {
  id: 'SecondFactorEnrolment',
  examples: [{ password: 'correct horse battery staple' }],
});

export const enrolAnswer = z.object({
  /** In base32, to be typed where no QR code can be read. */
  secret: z.string(),
  /** The `otpauth:` address that a QR code shows. */
  address: z.string(),
});
enrolAnswer.register(z.globalRegistry, {
  id: 'SecondFactorSecret',
  description: 'The secret of an authenticator app. It is shown once.',
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
  description: 'Each replaces one code of the app, once. They are only shown here.',
  examples: [{ recoveryCodes: ['KJ2A-MZ7Q-4XPL-R6TV'] }],
});

export const factorView = z.object({
  /** `PENDING` until the first code was entered: it guards nothing before. */
  state: z.enum(['NONE', 'PENDING', 'ACTIVE']),
  /** Nothing but setting it up is open without an active one. */
  required: z.boolean(),
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
