import type { Db, ReadSnapshot } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, idParams, ok, type Reply, type Route } from '../../platform/http/index.ts';
import { adminAccess, adminActor, anyAdmin, type ByOperator } from '../admins/index.ts';
import { changeReward, type ChangeRewardDeps } from './change-reward.ts';
import {
  findReward,
  listAllRewards,
  rewardFileHeader,
  rewardFileSql,
  type OperatorReward,
} from './operator-rewards.store.ts';
import type { RewardStatus } from './referrals.types.ts';
import {
  operatorRewardPage,
  operatorRewardView,
  paidBody,
  presentOperatorReward,
  rewardFileQuery,
  rewardsQuery,
} from './rewards.admin.schemas.ts';

type RewardAdminDeps = ChangeRewardDeps & { readonly db: Db; readonly readSnapshot: ReadSnapshot };

const tags = ['referrals'];
const path = '/referrals/rewards';
const errors = ['NOT_FOUND', 'ILLEGAL_TRANSITION'] as const;
const payers = adminAccess('SUPER_ADMIN');
const approvers = adminAccess('SUPER_ADMIN', 'ADMIN');

/**
 * Streams the CSV file for finance from one snapshot of the database. The audit row is committed before
 * the first byte is sent.
 */
const writeFile = (
  { db, readSnapshot, audit }: RewardAdminDeps,
  status: RewardStatus,
  { principal, context }: ByOperator,
): Reply => ({
  status: 200,
  headers: {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="referral-rewards_${status}.csv"`,
  },
  write: (output, signal) =>
    readSnapshot(async (snapshot) => {
      await audit.record(db, {
        action: 'referral-reward.export',
        ...adminActor(principal, context),
        after: { status },
      });
      output.write(`${rewardFileHeader}\r\n`);
      for await (const chunk of snapshot.csv(rewardFileSql(status))) {
        signal.throwIfAborted();
        output.write(chunk);
      }
    }, signal),
});

const presentOrRefuse = (reward: OperatorReward | undefined): Reply => {
  if (reward === undefined) throw new AppError('NOT_FOUND');
  return ok(presentOperatorReward(reward));
};

const createRewardReads = (deps: RewardAdminDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path,
    summary: 'Referral rewards, newest first',
    tags,
    access: anyAdmin,
    query: rewardsQuery,
    responses: { 200: operatorRewardPage },
    handler: async ({ query: { page, limit, ...filter } }) => {
      const { rows, total } = await listAllRewards(deps.db, filter, { page, limit });
      return ok({ items: rows.map(presentOperatorReward), total, page, limit });
    },
  }),
  defineRoute({
    method: 'GET',
    path: `${path}/file`,
    summary: 'All rewards with one status as a CSV file. The default is approved rewards',
    tags,
    access: approvers,
    query: rewardFileQuery,
    responses: { 200: null },
    produces: ['text/csv'],
    handler: async ({ query: { status }, principal, context }) =>
      writeFile(deps, status, { principal, context }),
  }),
  defineRoute({
    method: 'GET',
    path: `${path}/:id`,
    summary: 'One referral reward',
    tags,
    access: anyAdmin,
    params: idParams,
    responses: { 200: operatorRewardView },
    errors: ['NOT_FOUND'],
    handler: async ({ params: { id } }) => presentOrRefuse(await findReward(deps.db, id)),
  }),
];

/** Declares `/referrals/rewards` of the admin API (contract: customers > Paying rewards). */
export const createRewardAdminRoutes = (deps: RewardAdminDeps): Route[] => [
  ...createRewardReads(deps),
  defineRoute({
    method: 'POST',
    path: `${path}/:id/approve`,
    summary: 'Approve the payment of an earned reward',
    tags,
    access: approvers,
    params: idParams,
    responses: { 200: operatorRewardView },
    errors,
    handler: async ({ params: { id }, principal, context }) =>
      presentOrRefuse(await changeReward(deps, id, { to: 'APPROVED' }, { principal, context })),
  }),
  defineRoute({
    method: 'POST',
    path: `${path}/:id/withdraw`,
    summary: 'Withdraw the approval of a reward that is not paid yet',
    tags,
    access: approvers,
    params: idParams,
    responses: { 200: operatorRewardView },
    errors,
    handler: async ({ params: { id }, principal, context }) =>
      presentOrRefuse(await changeReward(deps, id, { to: 'EARNED' }, { principal, context })),
  }),
  defineRoute({
    method: 'POST',
    path: `${path}/:id/paid`,
    summary: 'Record that an approved reward was paid',
    tags,
    access: payers,
    params: idParams,
    body: paidBody,
    responses: { 200: operatorRewardView },
    errors,
    handler: async ({ params: { id }, body: { reference }, principal, context }) =>
      presentOrRefuse(
        await changeReward(deps, id, { to: 'PAID', reference }, { principal, context }),
      ),
  }),
];
