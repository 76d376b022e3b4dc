// Makes of a copy of the chart what a registry shows and installs:
//   node release-chart.mjs FOLDER VERSION IMAGE_REPOSITORY SOURCE_URL REGISTRY
// The image's repository stands in its values, and the README's links lead to the release's files in
// the repository at SOURCE_URL, since a registry has the page alone. An empty argument changes nothing.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import process from 'node:process';

const [, , folder, version, image, source, registry] = process.argv;
const root = join(import.meta.dirname, '..', '..');
const home = 'charts/digital-gold';

const change = (name, edit) => {
  const path = join(folder, name);
  writeFileSync(path, edit(readFileSync(path, 'utf8')));
};

const once = (text, from, to) => {
  if (text.split(from).length !== 2) throw new Error(`${from.trim()} does not stand there once`);
  return text.replace(from, to);
};

/** Where a link of the README leads, as an address. One that leads to nothing ends the release. */
const absolute = (link) => {
  if (/^(?:[a-z]+:|#)/u.test(link)) return link;
  const [path, anchor] = link.split('#');
  const file = normalize(join(home, path));
  if (!existsSync(join(root, file)))
    throw new Error(`README.md links to ${link}, which is not there`);
  const address = `${source.replace(/\/$/u, '')}/blob/v${version}/${file}`;
  return anchor === undefined ? address : `${address}#${anchor}`;
};

if (image !== '') {
  change('values.yaml', (text) =>
    once(text, '\n  repository: ""\n', `\n  repository: ${JSON.stringify(image)}\n`),
  );
  change('README.md', (text) =>
    text.replace(/(\| image\.repository \| string \| )`""`/u, `$1\`"${image}"\``),
  );
}
if (source !== '') {
  change('README.md', (text) =>
    text.replaceAll(/\]\(([^)\s]+)\)/gu, (_whole, link) => `](${absolute(link)})`),
  );
  change('Chart.yaml', (text) => `${text.trimEnd()}\nhome: ${source}\nsources:\n  - ${source}\n`);
}
if (registry !== '') {
  change('README.md', (text) =>
    text.replaceAll(
      'digital-gold charts/digital-gold ',
      `digital-gold ${registry}/digital-gold --version ${version} `,
    ),
  );
}
