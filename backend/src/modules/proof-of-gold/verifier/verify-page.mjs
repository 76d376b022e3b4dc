import { verify } from './verify.mjs';

/* The script of the verifier's page. It reads the opened file and makes no requests. */

const byId = (id) => document.getElementById(id);
const setText = (id, text) => {
  byId(id).textContent = text;
};

const describe = ({ statement, keys, isOwn, grams }) => [
  isOwn
    ? `Your ${grams} g are one of the ${statement.accounts} amounts that make up the total.`
    : 'This is a statement without a leaf of your own: only its signature was checked.',
  `All customers together held ${statement.liabilities} g at ${statement.moment}.`,
  `The gold provider ${statement.provider} confirmed ${statement.confirmed} g.`,
  `The statement was signed by ${keys.join(' and by ')}.`,
];

const show = (verdict, title, lines) => {
  const result = byId('result');
  result.hidden = false;
  result.dataset.verdict = verdict;
  setText('title', title);
  const items = lines.map((line) => {
    const item = document.createElement('li');
    item.textContent = line;
    return item;
  });
  byId('lines').replaceChildren(...items);
};

const optional = (id) => {
  const value = byId(id).value.trim();
  return value === '' ? undefined : value;
};

const check = async () => {
  try {
    const proof = JSON.parse(byId('proof').value);
    const options = { key: optional('key'), customer: optional('customer') };
    const found = await verify(proof, options);
    show('proven', found.isOwn ? 'Proven: your gold is in the total' : 'The signature is good', [
      ...describe(found),
    ]);
  } catch (error) {
    show('refused', 'Not proven', [`${error.message}.`, 'Do not rely on this file.']);
  }
};

byId('check').addEventListener('click', () => void check());
const take = async ([file]) => {
  if (file === undefined) return;
  byId('proof').value = await file.text();
  await check();
};
byId('file').addEventListener('change', ({ target }) => void take(target.files));
