import { io } from 'socket.io-client';
import {
  ApiError,
  createCustomerClient,
  createCustomerSession,
  followPrices,
  repeatWithKey,
  type CustomerSchemas,
} from '../../src/index.ts';

/* A page that signs in, shows the live price and buys, all against a local stack. */

const find = (id: string): HTMLElement => {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no ${id}`);
  return element;
};
const field = (id: string): HTMLInputElement => {
  const element = find(id);
  if (element instanceof HTMLInputElement) return element;
  throw new Error(`${id} is no field`);
};
const input = (id: string): string => field(id).value.trim();
const show = (id: string, text: string): void => {
  find(id).textContent = text;
};
/** Rupees of paise, without a floating-point number near money. */
const rupees = (paise: number): string => {
  const digits = String(paise).padStart(3, '0');
  return `₹${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

/**
 * Sends a request to the example's own server, which stands in for SMS, the KYC desk and the
 * checkout.
 */
const dev = async (path: string, body: object): Promise<Record<string, string>> => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path} answers ${response.status}`);
  return (await response.json()) as Record<string, string>;
};

const baseUrl = location.origin;
const session = createCustomerSession({
  baseUrl,
  storage: localStorage,
  onEnd: () => render(),
});
const visitor = createCustomerClient({ baseUrl });
const { api } = session;

/** The device stays the same for as long as the browser keeps it, so that its MPIN works later. */
const deviceId = (): string => {
  const kept = localStorage.getItem('device') ?? crypto.randomUUID();
  localStorage.setItem('device', kept);
  return kept;
};

const showProblem = (error: unknown): void => {
  const text = error instanceof Error ? error.message : String(error);
  show('problem', error instanceof ApiError ? `${text} (${error.code ?? error.status})` : text);
};

const act = (id: string, work: () => Promise<void>): void => {
  find(id).addEventListener('click', () => {
    show('problem', '');
    work().catch(showProblem);
  });
};

/** The payment that is still to be made, with its checkout. */
let open: { orderId: string; gatewayOrderId: string } | undefined;

const showStanding = async (): Promise<void> => {
  const [{ body: config }, { body: kyc }, { body: held }] = await Promise.all([
    api.get('/v1/config'),
    api.get('/v1/kyc/status'),
    api.get('/v1/portfolio'),
  ]);
  const left = config.dailyBuyRemainingPaise ?? 0;
  show('standing', `KYC ${kyc.status}; ${held.balance} g; ${rupees(left)} left to buy today`);
  find('approve').hidden = kyc.status === 'APPROVED';
};

const render = (): void => {
  const isSignedIn = session.tokens() !== undefined;
  find('sign-in').hidden = isSignedIn;
  find('buying').hidden = !isSignedIn;
  if (isSignedIn) showStanding().catch(showProblem);
};

act('send-code', async () => {
  const phone = input('phone');
  await visitor.post('/v1/auth/send-otp', { body: { phone } });
  const { otp = '' } = await dev('/dev/code', { phone });
  field('code').value = otp;
});

act('verify', async () => {
  const body = { phone: input('phone'), otp: input('code'), deviceId: deviceId() };
  session.begin((await visitor.post('/v1/auth/verify-otp', { body })).body);
  render();
});

act('approve', async () => {
  const { pan = '', aadhaar = '', image = '' } = await dev('/dev/papers', {});
  const document = { kind: 'PAN', contentType: 'image/png', dataBase64: image } as const;
  const { documentKey } = (await api.post('/v1/kyc/documents', { body: document })).body;
  const fullName = 'Asha Rao';
  const papers = { pan, aadhaar, pincode: '560001', documentKey, fullName };
  await api.post('/v1/kyc/submit', { body: papers });
  await dev('/dev/approve', { pan });
  await showStanding();
});

act('buy', async () => {
  // Each click has one key: whatever is lost on the way, there is one order.
  const { body } = await repeatWithKey((key) =>
    api.post('/v1/gold/buy', {
      body: { unit: 'INR', amount: input('rupees'), idempotency_key: key },
    }),
  );
  const { order, payment } = body;
  open = { orderId: order.id, gatewayOrderId: payment.checkout?.gateway_order_id ?? '' };
  show(
    'order',
    `Order ${order.status}: ${order.grams ?? ''} g for ${rupees(payment.amount_paise)}`,
  );
  find('pay').hidden = false;
});

const isDone = ({ status }: CustomerSchemas['GoldOrder']): boolean =>
  !['PENDING', 'PAID', 'RETRY_PENDING'].includes(status);

act('pay', async () => {
  if (open === undefined) return;
  const { orderId, gatewayOrderId } = open;
  find('pay').hidden = true;
  await dev('/dev/pay', { gatewayOrderId });
  const read = async () => (await api.get('/v1/gold/orders/{id}', { path: { id: orderId } })).body;
  let order = await read();
  while (!isDone(order)) {
    show('order', `Order ${order.status}…`);
    await new Promise((resolve) => {
      setTimeout(resolve, 500);
    });
    order = await read();
  }
  show('order', `Order ${order.status}: ${order.grams ?? ''} g`);
  await showStanding();
});

act('sign-out', async () => {
  const refreshToken = session.tokens()?.refreshToken ?? '';
  await api.post('/v1/auth/logout', { body: { refreshToken } });
  session.end();
  render();
});

// Another tab signed in or out.
addEventListener('storage', render);

const { customer = '' } = await dev('/dev/where', {});
followPrices(io(`${customer}/price`), ({ buyPaise, sellPaise, stale }) => {
  const old = stale === true ? ', not new' : '';
  show('price', `Buy ${rupees(buyPaise)}, sell ${rupees(sellPaise)} a gram${old}`);
});
render();
