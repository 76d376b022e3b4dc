import { changing, type AdminWrite } from './admin-write.ts';

/** Writes of operators' own passwords and authenticator apps. */
export const credentialWrites: Readonly<Record<string, AdminWrite>> = {
  'POST /auth/password': changing(
    'admin.change_password',
    async ({ factories }) => {
      const by = await factories.admin('SUPPORT');
      const newPassword = 'a stable for every horse';
      return { path: '/auth/password', body: { currentPassword: by.password, newPassword }, by };
    },
    { parts: 'none', again: 401, bad: { body: { newPassword: 'short' }, status: 400 } },
  ),
  'POST /auth/second-factor/enrol': changing(
    'admin.second_factor.enrol',
    async ({ factories }) => {
      const by = await factories.admin('SUPPORT');
      return { path: '/auth/second-factor/enrol', body: { password: by.password }, by };
    },
    { parts: 'after', bad: { body: { password: 'wrong' }, status: 403 } },
  ),
  'POST /auth/second-factor/confirm': changing(
    'admin.second_factor.confirm',
    async ({ factories, factorCode }) => {
      const by = await factories.admin('SUPPORT');
      const code = await factorCode(by.adminId, 'PENDING');
      return { path: '/auth/second-factor/confirm', body: { code }, by };
    },
    { again: 401, bad: { body: {}, status: 400 } },
  ),
  'POST /auth/second-factor/recovery-codes': changing(
    'admin.second_factor.recovery_codes',
    async ({ factories, factorCode }) => {
      const by = await factories.admin('SUPPORT');
      const code = await factorCode(by.adminId, 'ACTIVE');
      const body = { password: by.password, code };
      return { path: '/auth/second-factor/recovery-codes', body, by };
    },
    { parts: 'none', again: 403, bad: { body: {}, status: 400 } },
  ),
  'POST /operators/:id/second-factor/disable': changing(
    'admin.second_factor.disable',
    async ({ factories, factorCode }) => {
      const { adminId } = await factories.admin('SUPPORT');
      await factorCode(adminId, 'ACTIVE');
      const path = `/operators/${adminId}/second-factor/disable`;
      return { path, body: { reason: 'lost the phone' } };
    },
    { again: 409, bad: { body: {}, status: 400 } },
  ),
};
