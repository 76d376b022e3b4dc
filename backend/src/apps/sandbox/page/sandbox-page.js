'use strict';
// Draws what `/_control/overview` returns. It uses only textContent, so that nothing a caller sent
// can become markup. A list is drawn again only when it changed. The script runs in a browser, as a
// classic script.
const byId = (id) => document.getElementById(id);
const make = (tag, props, ...children) => {
  const node = Object.assign(document.createElement(tag), props);
  for (const child of children) if (child !== undefined && child !== null) node.append(child);
  return node;
};
const digits = (value, size) => String(value).padStart(size, '0');
const rupees = (paise, currency) => {
  const size = digits(Math.abs(paise), 3);
  const whole = size.slice(0, -2).replace(/(\d)(?=(\d\d)+\d$)/g, '$1,');
  return (
    (currency && currency !== 'INR' ? currency + ' ' : '\u20b9') + whole + '.' + size.slice(-2)
  );
};
const timeZone = 'Asia/Kolkata';
const istTime = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' });
const istDay = new Intl.DateTimeFormat('en-GB', { timeZone, day: '2-digit', month: 'short' });
const time = (date) => istTime.format(new Date(date));
const moment = (date) => istDay.format(new Date(date)) + ', ' + time(date);
const tag = (text, kind) => make('span', { className: 'tag ' + (kind || ''), textContent: text });
const code = (text) => make('code', { textContent: text });
const cell = (content, className) => {
  const node = make('td', { className: className || '' });
  node.append(content ?? '');
  return node;
};
const button = (text, work, className) => {
  const node = make('button', { type: 'button', textContent: text, className: className || '' });
  node.addEventListener('click', work);
  return node;
};
const buttonsCell = (...buttons) => cell(make('div', { className: 'buttons' }, ...buttons));

const showProblem = (text) => {
  byId('problem').hidden = !text;
  byId('problem').textContent = text || '';
};
const ask = async (method, path, body) => {
  const response = await fetch(
    '/_control' + path,
    body === undefined
      ? { method }
      : { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  );
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error ? answer.error.message : 'The request failed');
  return answer;
};
const act = async (method, path, body) => {
  try {
    await ask(method, path, body);
    showProblem('');
  } catch (error) {
    showProblem(error.message);
  }
  await refresh();
};

const heads = {
  checkouts: ['Order', 'Amount', 'Expires', '', ''],
  messages: ['At', 'To', 'Code'],
  payouts: ['At', 'To', 'Amount', 'Attempt', '', ''],
  validations: ['At', 'Account', 'Bank account', '', ''],
  transactions: ['At', '', 'Grams', 'Amount', 'Transaction', ''],
  runs: ['At', 'Workflow', 'Correlation', '', ''],
  webhooks: ['Event', 'About', '', 'Attempts', 'Answer'],
  faults: ['Party', 'Operation', 'Fault', '', '', ''],
  journal: ['#', 'At', 'Party', 'Operation', 'Call', 'Status', ''],
};
const drawn = new Map();
const list = (id, items, empty, row) => {
  const text = JSON.stringify(items);
  if (drawn.get(id) === text) return;
  drawn.set(id, text);
  const opened = new Set([...byId(id).querySelectorAll('details[open]')].map((d) => d.dataset.key));
  if (items.length === 0) {
    byId(id).replaceChildren(make('p', { className: 'empty', textContent: empty }));
    return;
  }
  const head = make(
    'tr',
    {},
    ...heads[id].map((name) =>
      make('th', {
        textContent: name,
        className: ['Grams', 'Amount', 'Attempts'].includes(name) ? 'number' : '',
      }),
    ),
  );
  const table = make(
    'table',
    {},
    make('thead', {}, head),
    make('tbody', {}, ...items.map((item) => make('tr', {}, ...row(item)))),
  );
  const top = byId(id).firstChild ? byId(id).firstChild.scrollTop : 0;
  byId(id).replaceChildren(make('div', { className: 'list' }, table));
  byId(id).firstChild.scrollTop = top;
  for (const node of byId(id).querySelectorAll('details')) {
    if (opened.has(node.dataset.key)) node.open = true;
  }
};

const checkoutRow = (checkout) => {
  const pay = (body) => () => act('POST', '/payments/' + checkout.gatewayOrderId, body);
  const gone = checkout.expiresAt && new Date(checkout.expiresAt) <= clockNow;
  const buttons = [
    button('Pay', pay({ outcome: 'captured' }), 'main'),
    button('Fail', pay({ outcome: 'failed' })),
  ];
  const failed = checkout.payments.length;
  return [
    cell(code('…' + checkout.gatewayOrderId.slice(-8))),
    cell(rupees(checkout.amountPaise, checkout.currency), 'number'),
    cell(checkout.expiresAt ? moment(checkout.expiresAt) : 'never', 'nowrap'),
    cell(
      gone ? tag('expired', 'bad') : failed ? tag(failed + ' failed', 'bad') : tag('open', 'gold'),
    ),
    buttonsCell(...buttons),
  ];
};
const messageRow = (message) => [
  cell(time(message.at), 'nowrap soft'),
  cell(
    make(
      'span',
      {},
      message.phone,
      make('br'),
      make('span', { className: 'soft', textContent: message.text }),
    ),
  ),
  cell(make('span', { className: 'otp', textContent: message.otp || '' })),
];
const statuses = [
  ['not confirmed', 'gold'],
  ['done', 'good'],
  ['failed', 'bad'],
  ['in progress', 'gold'],
];
const transactionRow = (transaction) => [
  cell(time(transaction.verifiedAt), 'nowrap soft'),
  cell(tag(transaction.side)),
  cell(transaction.grams + ' g', 'number'),
  cell(rupees(transaction.amountPaise), 'number'),
  cell(code(transaction.txId)),
  cell(tag(...statuses[transaction.status])),
];
const bankCell = (item) =>
  cell(
    make(
      'span',
      {},
      item.name,
      ' ',
      make('span', { className: 'soft', textContent: '…' + item.accountLast4 }),
    ),
  );
const ourId = (item) => code(item.referenceId ? '…' + item.referenceId.slice(-8) : item.id);
const payoutKinds = {
  processing: 'gold',
  processed: 'good',
  failed: 'bad',
  rejected: 'bad',
  reversed: 'bad',
};
const payoutRow = (payout) => {
  const play = (text, outcome, className) =>
    button(text, () => act('POST', '/payouts/' + payout.id, { outcome }), className);
  const buttons =
    payout.status === 'processing'
      ? [play('Pay', 'processed', 'main'), play('Fail', 'failed'), play('Reject', 'rejected')]
      : payout.status === 'processed'
        ? [play('Reverse', 'reversed')]
        : [];
  return [
    cell(time(payout.createdAt), 'nowrap soft'),
    bankCell(payout),
    cell(rupees(payout.amountPaise), 'number'),
    cell(ourId(payout)),
    cell(tag(payout.status, payoutKinds[payout.status])),
    buttonsCell(...buttons),
  ];
};
const validationRow = (validation) => {
  const play = (text, outcome, className) =>
    button(text, () => act('POST', '/validations/' + validation.id, { outcome }), className);
  const isOpen = validation.status === 'created';
  const buttons = isOpen
    ? [play('Valid', 'active', 'main'), play('Invalid', 'invalid'), play('Fail', 'failed')]
    : [];
  const kind = isOpen ? 'gold' : validation.accountStatus === 'active' ? 'good' : 'bad';
  return [
    cell(time(validation.createdAt), 'nowrap soft'),
    bankCell(validation),
    cell(ourId(validation)),
    cell(tag(validation.accountStatus || validation.status, kind)),
    buttonsCell(...buttons),
  ];
};
const runRow = (run) => {
  const end = (text, conclusion, className) =>
    button(text, () => act('POST', '/runs/' + run.id, { conclusion }), className);
  const buttons = run.conclusion
    ? []
    : [end('Succeed', 'success', 'main'), end('Fail', 'failure'), end('Cancel', 'cancelled')];
  const kind = !run.conclusion ? 'gold' : run.conclusion === 'success' ? 'good' : 'bad';
  return [
    cell(time(run.createdAt), 'nowrap soft'),
    cell(run.workflow, 'nowrap'),
    cell(code(run.correlationId ? '…' + run.correlationId.slice(-8) : run.id)),
    cell(tag((run.conclusion || run.status).replaceAll('_', ' '), kind)),
    buttonsCell(...buttons),
  ];
};
const webhookRow = (webhook) => [
  cell(webhook.event, 'nowrap'),
  cell(code('…' + webhook.subject.slice(-8))),
  cell(
    tag(
      webhook.state.replace('_', ' '),
      { delivered: 'good', waiting: 'gold', given_up: 'bad' }[webhook.state],
    ),
  ),
  cell(webhook.attempts, 'number'),
  cell(webhook.lastStatus ?? '–'),
];
const faultRow = (fault) => [
  cell(fault.collaborator),
  cell(fault.operation),
  cell(tag(fault.fault.replaceAll('_', ' '), 'bad')),
  cell(fault.remaining + ' left', 'nowrap'),
  cell(
    [fault.status, fault.delayMs === undefined ? '' : fault.delayMs + ' ms']
      .filter(Boolean)
      .join(' · '),
  ),
  cell(button('Clear', () => act('DELETE', '/faults/' + fault.id))),
];
const journalRow = (entry) => {
  const shown = JSON.stringify({ body: entry.body, response: entry.response }, null, 2);
  const details = make(
    'details',
    {},
    make('summary', {}, code(entry.method + ' ' + entry.path)),
    make('pre', { textContent: shown }),
  );
  details.dataset.key = entry.seq;
  const kind =
    entry.status === null || entry.status >= 500 ? 'bad' : entry.status < 400 ? 'good' : 'gold';
  return [
    cell(entry.seq, 'soft'),
    cell(time(entry.at), 'nowrap soft'),
    cell(entry.collaborator),
    cell(entry.operation, 'nowrap'),
    cell(details),
    cell(tag(entry.status ?? 'no answer', kind)),
    cell(entry.fault ? tag(entry.fault.replaceAll('_', ' '), 'bad') : ''),
  ];
};

const fillSelect = (select, values) => {
  if (select.dataset.values === values.join()) return;
  const kept = select.value;
  select.dataset.values = values.join();
  select.replaceChildren(...values.map((value) => make('option', { value, textContent: value })));
  if (values.includes(kept)) select.value = kept;
};
const faultForm = byId('fault-form');
const fillFaultForm = (seen) => {
  const parties = seen.collaborators.map((party) => party.name);
  fillSelect(faultForm.elements.collaborator, parties);
  const chosen = seen.collaborators.find((p) => p.name === faultForm.elements.collaborator.value);
  fillSelect(faultForm.elements.operation, ['*', ...(chosen ? chosen.operations : [])]);
  fillSelect(faultForm.elements.fault, seen.faultKinds);
};

let latest;
let clockNow = new Date();
const offsetText = (seconds) => {
  if (seconds === 0) return 'real time';
  const size = Math.abs(Math.round(seconds));
  const [days, hours, minutes] = [size / 86400, (size / 3600) % 24, (size / 60) % 60].map(
    Math.floor,
  );
  const parts = Object.entries({ d: days, h: hours, min: minutes, s: size % 60 });
  const words = parts.flatMap(([unit, count]) => (count > 0 ? [count + ' ' + unit] : []));
  return words.join(' ') + (seconds > 0 ? ' ahead' : ' behind');
};
const draw = (seen) => {
  latest = seen;
  clockNow = new Date(seen.clock.now);
  byId('clock-now').textContent = moment(seen.clock.now) + ' IST';
  byId('clock-offset').textContent = offsetText(seen.clock.offsetSeconds);
  byId('price-buy').textContent = rupees(seen.price.buyPaise);
  byId('price-sell').textContent = rupees(seen.price.sellPaise);
  byId('price-mode').textContent = seen.price.isFixed ? 'fixed by hand' : 'moving';
  byId('price-spot').textContent = 'spot ' + rupees(seen.price.spotPaise);
  list(
    'checkouts',
    seen.checkouts.filter((checkout) => !checkout.isPaid),
    'No checkout is open.',
    checkoutRow,
  );
  list('messages', seen.messages, 'No message was sent.', messageRow);
  list('payouts', seen.payouts, 'No payout was requested.', payoutRow);
  list('validations', seen.validations, 'No bank account was validated.', validationRow);
  list('transactions', seen.transactions, 'No transaction was verified.', transactionRow);
  list('runs', seen.runs, 'Nothing was deployed.', runRow);
  list('webhooks', seen.webhooks, 'No webhook was sent.', webhookRow);
  list('faults', seen.faults, 'No fault is set.', faultRow);
  list('journal', seen.journal, 'No call was received.', journalRow);
  fillFaultForm(seen);
};
const refresh = async () => {
  try {
    draw(await ask('GET', '/overview'));
    byId('live').textContent = 'live';
    byId('live').className = '';
  } catch {
    byId('live').textContent = 'no answer';
    byId('live').className = 'down';
  }
};

const steps = [
  ['+1 min', 60],
  ['+8 min', 480],
  ['+11 min', 660],
  ['+1 h', 3600],
  ['+1 day', 86400],
];
byId('clock-buttons').append(
  ...steps.map(([text, seconds]) =>
    button(text, () => act('POST', '/clock', { advanceSeconds: seconds })),
  ),
  button('Real time', () => act('DELETE', '/clock')),
);
byId('clock-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const at = new Date(event.target.elements.set.value);
  if (!Number.isNaN(at.getTime())) void act('POST', '/clock', { set: at.toISOString() });
});
const paiseOf = (text) => {
  const match = /^(\d{1,8})(?:\.(\d{1,2}))?$/.exec(text.trim());
  return match ? Number(match[1] + (match[2] || '').padEnd(2, '0')) : undefined;
};
byId('price-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const { buy, sell } = event.target.elements;
  void act('PUT', '/price', { buyPaise: paiseOf(buy.value), sellPaise: paiseOf(sell.value) });
});
byId('price-follow').addEventListener('click', () => void act('DELETE', '/price'));
const numberOf = (field) => (field.value === '' ? undefined : Number(field.value));
faultForm.addEventListener('change', () => latest && fillFaultForm(latest));
faultForm.addEventListener('submit', (event) => {
  event.preventDefault();
  const fields = faultForm.elements;
  void act('POST', '/faults', {
    collaborator: fields.collaborator.value,
    operation: fields.operation.value,
    fault: fields.fault.value,
    times: numberOf(fields.times),
    status: numberOf(fields.status),
    delayMs: numberOf(fields.delayMs),
  });
});
byId('faults-clear').addEventListener('click', () => void act('DELETE', '/faults'));
const loop = async () => {
  if (!document.hidden) await refresh();
  setTimeout(loop, 2000);
};
void loop();
