/** The beginning of the customer API's document: a first call, money, and idempotency. */
export const customerGuide = `Buy, sell and hold gold.

# A first purchase

The addresses are those of a local stack (\`make up\`). There the one-time code is shown by the
sandbox, and \`POST /_control/payments/:gatewayOrderId\` at the sandbox plays the customer at the
checkout.

**Sign in** with a code that is sent to a phone. Name the device by an id of your own.

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

**Authorise** every later call with the access token, which lives for 15 minutes. Exchange the
refresh token for a new pair at \`POST /auth/refresh\`: each is good once, so let the tabs or threads
of a client take turns.

\`\`\`sh
curl -s $API/config -H "authorization: Bearer $TOKEN"
\`\`\`

\`\`\`ts
const session = createCustomerSession({ baseUrl, storage: localStorage, onEnd: showSignIn });
session.begin(body);
const { body: config } = await session.api.get('/v1/config');
\`\`\`

**Buy.** KYC has to be approved first: \`POST /kyc/documents\`, then \`POST /kyc/submit\`. The answer has
the order, which is \`PENDING\`, and the checkout that the gateway's own script opens. The money is
believed by the gateway's word alone; read the order until it is \`ALLOCATED\`.

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

Rupees are decimal text with at most two places (\`"1000.50"\`); a JSON number is taken and held to
the same form. A field whose name ends in \`Paise\` or \`_paise\` is a whole number of paise. Grams are
decimal text with four places or more. Never put either into a floating-point number: amounts are
worked out here, and what a client sends is compared and not believed.

# Idempotency

Whatever creates an order takes a key of your own: 8 to 128 letters, digits or \`. _ : -\`, one for
each thing that the customer wants. Send the same key again whenever you do not know what became of a
request: the answer is 200 with \`idempotent-replayed: true\` and the order as it is now. The same key
with another body is 409 \`IDEMPOTENCY_KEY_REUSED\`, and while the first request runs 409
\`REQUEST_IN_PROGRESS\`. A request that was refused leaves its key free.`;
