/** The beginning of the admin API's document: a first call, money, and repeated requests. */
export const adminGuide = `Run the service: customers, orders, payouts, catalogue, configuration, reports.

# A first call

The addresses are those of a local stack (\`make up\`), whose accounts are in \`.dev/endpoints.json\`.

**Sign in** with the email and password of an operator.

\`\`\`sh
API=http://127.0.0.1:4001/v1
curl -s $API/auth/login -H 'content-type: application/json' \\
  -d '{"email":"admin@example.test","password":"..."}'
\`\`\`

\`\`\`ts
const desk = createAdminClient({ baseUrl: 'http://127.0.0.1:4001' });
const { body } = await desk.post('/v1/auth/login', { body: { email, password } });
const operator = desk.with({ token: body.accessToken });
\`\`\`

**Authorise** every later call with the access token. The service reads the role at every
request, and each operation names the roles that it admits.

\`\`\`sh
curl -s "$API/kyc?limit=20" -H "authorization: Bearer $TOKEN"
\`\`\`

\`\`\`ts
const { body: queue } = await operator.get('/v1/kyc', { query: { limit: 20 } });
\`\`\`

**Decide**, for instance on the KYC of a customer who wants to buy. Each change by an
operator is audited with the previous value.

\`\`\`sh
curl -s -X POST $API/kyc/$ID/approve -H "authorization: Bearer $TOKEN"
\`\`\`

\`\`\`ts
await operator.post('/v1/kyc/{id}/approve', { path: { id } });
\`\`\`

# Money

A field whose name ends in \`Paise\` or \`_paise\` is a whole number of paise, rupees are decimal text
with at most two places, and grams are decimal text. Never put one into a floating-point number.

# Repeated requests

A repeated change of state returns 409 \`ILLEGAL_TRANSITION\` or the row as it is. After a lost
response, read the row before you decide again. Cash that was received is recorded once for each
reference.`;
