import { expect, it } from 'vitest';
import { serviceSources } from './source-files.ts';

/** Packages that are young or sleep, with the one file that knows each: docs/adr/0061-packages.md. */
const replaceable: Readonly<Record<string, string>> = {
  hucre: 'src/modules/registers/export-register.ts',
  pdfkit: 'src/modules/product-orders/render-invoice.ts',
  'any-ascii': 'src/modules/product-orders/render-invoice.ts',
  otpauth: 'src/platform/auth/totp.ts',
  redlock: 'src/platform/redis/with-lock.ts',
  '@godaddy/terminus': 'src/platform/lifecycle/create-lifecycle.ts',
};

it.for(Object.entries(replaceable))('lets one file alone know %s', ([name, only]) => {
  const named = new RegExp(`(?:from |import\\()'${name}['/]`, 'u');
  const files = serviceSources.filter(({ text }) => named.test(text));
  expect(files.map(({ path }) => path)).toEqual([only]);
});
