import { fieldsOf, okAnswer, textOf, type Call, type Operation } from '../../core/collaborator.ts';
import { isSparseCustomer } from '../../core/left-out.ts';
import { oddRow } from '../../core/odd-rows.ts';
import { overstateDecimal } from '../../core/wrong-amount.ts';
import type { SafegoldStore, SafegoldUser, Transaction } from './safegold-store.ts';
import { gramsNumber, refusal, rupees, timeText } from './safegold.wire.ts';
import { withoutTax } from './arithmetic.ts';

const pageSize = 20;

/** Returns the ten digits of a number with or without its country code. */
const mobileOf = (value: unknown): string | undefined =>
  /^(?:\+?91)?(\d{10})$/u.exec(textOf(value) ?? '')?.[1];

const pageOf = (query: URLSearchParams): number => {
  const text = query.get('page') ?? '1';
  return /^[1-9]\d{0,8}$/u.test(text) ? Number.parseInt(text, 10) : 1;
};

const unknownUser = { status: 404, body: { code: 1, message: 'User does not exist' } };

const userView = (store: SafegoldStore, user: SafegoldUser) => ({
  id: user.id,
  name: user.name,
  mobile_no: user.mobileNo,
  pincode: user.pincode,
  email: user.email,
  gold_balance: gramsNumber(store.balanceOf(user.id)),
  kyc_requirement: {
    identity_required: user.hasIdentity ? 0 : 1,
    pan_required: user.hasPan ? 0 : 1,
  },
});

const register = (store: SafegoldStore, { body }: Call) => {
  const fields = fieldsOf(body);
  const name = textOf(fields['name']);
  const mobileNo = mobileOf(fields['mobile_no']);
  const pincode = textOf(fields['pin_code']);
  if (name === undefined || mobileNo === undefined || pincode === undefined) {
    return refusal(1, 'Missing required information');
  }
  const email = textOf(fields['email']) ?? null;
  const known = store.userByMobile(mobileNo);
  if (known !== undefined) return okAnswer(userView(store, known));
  const user = { name, mobileNo, pincode, email, hasIdentity: false, hasPan: false };
  return okAnswer(userView(store, store.addUser(user)));
};

const getUser = (store: SafegoldStore, { params }: Call) => {
  const user = store.user(params['userId']);
  return user === undefined ? unknownUser : okAnswer(userView(store, user));
};

const updateKyc = (store: SafegoldStore, { params, body }: Call) => {
  const user = store.user(params['userId']);
  if (user === undefined) return unknownUser;
  const details = fieldsOf(fieldsOf(body)['kyc_requirement']);
  const updated = {
    ...user,
    hasPan: user.hasPan || textOf(details['pan_no']) !== undefined,
    hasIdentity: user.hasIdentity || textOf(details['identity_no']) !== undefined,
  };
  store.replaceUser(updated);
  return okAnswer(userView(store, updated));
};

const priceView = ({ side, amountPaise }: Transaction) =>
  side === 'sell'
    ? { sell_price: rupees(amountPaise) }
    : {
        buy_price: rupees(amountPaise),
        pre_gst_buy_price: rupees(withoutTax(amountPaise)),
        gst_amount: rupees(amountPaise - withoutTax(amountPaise)),
      };

const transactionView = (transaction: Transaction) => ({
  type: transaction.side,
  tx_id: transaction.id,
  user_id: transaction.userId,
  rate: rupees(transaction.ratePaise),
  gold_amount: gramsNumber(transaction.weight),
  ...priceView(transaction),
  tx_date: timeText(new Date(transaction.verifiedAtMs)),
});

const listTransactions = (store: SafegoldStore, { params, query }: Call) => {
  const user = store.user(params['userId']);
  if (user === undefined) return unknownUser;
  const page = pageOf(query);
  const completed = store
    .transactionsOf(user.id)
    .filter(({ status }) => status === 1 || status === 3)
    .toReversed();
  const path = `/v1/users/${user.id}/transactions?page=`;
  const isLast = page * pageSize >= completed.length;
  return okAnswer({
    transactions: completed.slice((page - 1) * pageSize, page * pageSize).map(transactionView),
    meta: {
      previous: page > 1 ? path + (page - 1) : null,
      next: isLast ? null : path + (page + 1),
    },
  });
};

const spareUserFields = ['name', 'mobile_no', 'pincode', 'email', 'kyc_requirement'];

/** A transaction of another customer, which every list contains. */
const oddTransaction = oddRow(
  { type: 'gift', tx_id: null, user_id: 'user_of_another' },
  { amount: 'gold_amount', status: 'status', time: 'tx_date' },
);

/** Serves customers and their history (pages registration-api, fetch-balance-api-1). */
export const userOperations = (store: SafegoldStore): readonly Operation[] => {
  const overstateBalance = overstateDecimal('gold_balance', 4);
  return [
    {
      name: 'register',
      method: 'POST',
      path: '/v1/users',
      shape: { spare: spareUserFields, needed: ['gold_balance'] },
      isSparse: ({ body }) => isSparseCustomer(fieldsOf(body)['mobile_no']),
      handle: (call) => register(store, call),
      idempotencyKey: ({ body }) => textOf(fieldsOf(body)['mobile_no']),
      misstate: overstateBalance,
    },
    {
      name: 'get-user',
      method: 'GET',
      path: '/v1/users/:userId',
      shape: { spare: spareUserFields, needed: ['gold_balance'] },
      isSparse: ({ params }) => isSparseCustomer(store.user(params['userId'])?.mobileNo),
      handle: (call) => getUser(store, call),
      misstate: overstateBalance,
    },
    // The KYC update is part of registering a customer, so faults and the journal treat it as
    // `register`.
    {
      name: 'register',
      method: 'POST',
      path: '/v1/users/:userId/kyc-update',
      handle: (call) => updateKyc(store, call),
    },
    {
      name: 'transactions',
      method: 'GET',
      path: '/v1/users/:userId/transactions',
      shape: { spare: ['type', 'rate', 'tx_date'], figure: 'tx_id' },
      oddRows: [oddTransaction],
      handle: (call) => listTransactions(store, call),
    },
  ];
};
