import { ApiError } from '@digital-gold/client';
import type { Demo, DemoCustomer } from '../demo.types.ts';
import { until } from '../until.ts';
import { signInOperator } from './sign-in-operator.ts';

/** Every process follows the sandbox's clock within it (contract: collaborators > Time). */
const followMs = 1000;

/** Returns true while the access token is good, and false where it has expired. */
const hasGoodToken = async ({ api }: DemoCustomer): Promise<boolean> => {
  try {
    await api.get('/v1/users/me');
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return false;
    throw error;
  }
};

/** Moves everybody's clock, and waits until the customer's token shows that the API's has moved. */
const moveClock = async (
  { sandbox, timers }: Demo,
  customer: DemoCustomer,
  { seconds, isGoodThen }: { readonly seconds: number; readonly isGoodThen: boolean },
): Promise<void> => {
  await sandbox.post('/_control/clock', { body: { advanceSeconds: seconds } });
  await timers.sleep(followMs);
  await until({
    timers,
    seconds: 10,
    look: () => hasGoodToken(customer),
    isThere: (isGood) => isGood === isGoodThen,
    otherwise: () => "the customer API does not follow the sandbox's clock",
  });
};

/**
 * Plays `act` so many seconds later, longer than an access token lives, with the customer's session
 * refreshed. Then sets the clock back, however `act` ended, and signs the operator in anew: a shift
 * is shorter than a day.
 */
export const playLater = async <T>(
  demo: Demo,
  { customer, seconds }: { readonly customer: DemoCustomer; readonly seconds: number },
  act: (customer: DemoCustomer) => Promise<T>,
): Promise<T> => {
  await moveClock(demo, customer, { seconds, isGoodThen: false });
  try {
    const visitor = demo.visitor.customer(customer.numbers.ip);
    const { refreshToken } = customer;
    const { body } = await visitor.post('/v1/auth/refresh', { body: { refreshToken } });
    return await act({ ...customer, ...body, api: customer.api.with({ token: body.accessToken }) });
  } finally {
    await moveClock(demo, customer, { seconds: -seconds, isGoodThen: true });
    demo.saveState('operator', (await signInOperator(demo, 'ADMIN')).operator);
  }
};
