import assert from 'node:assert/strict';
import { z } from 'zod';
import { developmentAdmins } from '@digital-gold/backend/demo';
import type { ClusterStep } from '../cluster.types.ts';
import { service } from '../release.ts';

const operatorWire = z.object({ email: z.string(), role: z.string(), active: z.boolean() });
const listWire = z.object({ items: z.array(operatorWire) });

/** As an operator begins: inside the admin API's pod, with the password on standard input. */
export const makeFirstOperator: ClusterStep = {
  title: 'The first operator, by goldctl in the pod',
  async run({ goldctl, kubectl }) {
    const { email, password } = developmentAdmins.SUPER_ADMIN;
    const list = async () =>
      listWire.parse(JSON.parse(await goldctl(['admin', 'list', '--output', 'json']))).items;
    const isNew = (await list()).every((one) => one.email !== email);
    if (isNew) {
      const create = ['admin', 'create', email, '--role', 'SUPER_ADMIN', '--password-stdin'];
      const pod = ['exec', '--stdin', `deploy/${service}-admin`, '--', 'goldctl'];
      await kubectl.run([...pod, ...create], { stdin: `${password}\n` });
    }
    const made = (await list()).find((one) => one.email === email);
    assert(made?.role === 'SUPER_ADMIN' && made.active, `${email} is no active SUPER_ADMIN`);
    return [`${email}, SUPER_ADMIN${isNew ? '' : ', was there already'}`];
  },
};
