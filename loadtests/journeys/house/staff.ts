import type { Account } from '../../lib/settings.ts';
import type { House } from './ask.ts';

/** Signs an operator in. */
export const signInOperator = ({ ask }: House, body: Account): string =>
  String(
    ask({ api: 'admin', method: 'POST', route: '/v1/auth/login', body: { ...body } })[
      'accessToken'
    ],
  );

const accounting = '/api/v1/accounting';

/** Signs somebody of the accounting staff in. */
export const signInAccountant = ({ ask }: House, body: Account): string =>
  String(
    ask({
      api: 'accounting',
      method: 'POST',
      route: `${accounting}/auth/login`,
      body: { ...body },
    })['token'],
  );

/** An operator's look at the day: the overview, what waits, the lists, the price. */
export const readDesk = ({ ask }: House, token: string): void => {
  const routes = [
    '/dashboard/overview',
    '/reviews',
    '/orders',
    '/payouts',
    '/product-orders',
    '/users',
  ];
  for (const route of routes) ask({ api: 'admin', method: 'GET', route: `/v1${route}`, token });
};

/** An accountant's look at the registers of the day. */
export const readRegisters = ({ ask }: House, portalToken: string): void => {
  for (const name of ['summary', 'buys', 'sells', 'holdings', 'payments', 'payouts']) {
    const route = `${accounting}/gold/${name}`;
    ask({ api: 'accounting', method: 'GET', route, portalToken });
  }
};
