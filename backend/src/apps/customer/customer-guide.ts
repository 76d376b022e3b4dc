/** The beginning of the customer API's document: a first call, money, and idempotency. */
export const customerGuide = `Buy, sell and hold gold.

# A first purchase

The addresses are those of a local stack (\`make up\`). There, the sandbox shows the one-time code,
and \`POST /_control/payments/:gatewayOrderId\` at the sandbox pays the order as the customer would at
the checkout.

**Sign in** with a code that is sent to a phone. Choose an id for the device.

\`\`\`sh
API=http://127.0.0.1:4000/v1
curl -s $API/auth/send-otp -H 'content-type: application/json' -d '{"phone":"+919876543210"}'
curl -s $API/auth/verify-otp -H 'content-type: application/json' \\
  -d '{"phone":"+919876543210","otp":"123456","deviceId":"8d1a6c1e-phone-0001"}'
\`\`\`

\`\`\`ts
const visitor = createCustomerClient({ baseUrl: 'http://127.0.0.1:4000' });
await visitor.post('/v1/auth/send-otp', { body: { phone } });
const { body } = await visitor.post('/v1/auth/verify-otp', { body: { phone, otp, deviceId } });
\`\`\`

**Authorise** every later call with the access token, which is valid for 15 minutes. Exchange the
refresh token for a new pair at \`POST /auth/refresh\`. Each refresh token can be used once, so only
one tab or thread of a client may refresh at a time.

\`\`\`sh
curl -s $API/config -H "authorization: Bearer $TOKEN"
\`\`\`

\`\`\`ts
const session = createCustomerSession({ baseUrl, storage: localStorage, onEnd: showSignIn });
session.begin(body);
const { body: config } = await session.api.get('/v1/config');
\`\`\`

**Buy.** KYC has to be approved first: \`POST /kyc/documents\`, then \`POST /kyc/submit\`. The response
contains the order, which is \`PENDING\`, and the checkout that the gateway's script opens. Only the
gateway can confirm the payment. Poll the order until it is \`ALLOCATED\`.

\`\`\`sh
curl -s $API/gold/buy -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\
  -d '{"unit":"INR","amount":"1000.50","idempotency_key":"first-buy-0001"}'
curl -s $API/gold/orders/$ORDER_ID -H "authorization: Bearer $TOKEN"
\`\`\`

\`\`\`ts
const { body: bought } = await repeatWithKey((key) =>
  session.api.post('/v1/gold/buy', {
    body: { unit: 'INR', amount: '1000.50', idempotency_key: key },
  }),
);
const { checkout } = bought.payment;
\`\`\`

# Money

Rupees are decimal text with at most two places (\`"1000.50"\`). A JSON number is also accepted, with
the same limits. A field whose name ends in \`Paise\` or \`_paise\` is a whole number of paise. Grams are
decimal text with four places or more. Never put either into a floating-point number. The
service computes every amount and only compares it with what a client sends.

# Idempotency

Every request that creates an order takes an idempotency key: 8 to 128 letters, digits or
\`. _ : -\`. Create one key for each purchase or sale that the customer intends. If you do not know
the outcome of a request, send it again with the same key: the response is 200 with
\`idempotent-replayed: true\` and the current state of the order. The same key with a different body
returns 409 \`IDEMPOTENCY_KEY_REUSED\`. While the first request is running, a repeat returns 409
\`REQUEST_IN_PROGRESS\`. A request that was refused leaves its key free.`;
