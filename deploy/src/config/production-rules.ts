import { problemIf, type Rule } from './problem.ts';

const inProduction =
  (rule: Rule): Rule =>
  (config) =>
    config.tier === 'prod' ? rule(config) : [];

const runsInProductionMode: Rule = ({ appMode }) =>
  problemIf(appMode !== 'production', 'appMode', 'must be production in prod');

const imageIsPinned: Rule = ({ image, release }) =>
  problemIf(
    release === undefined && image.digest === undefined,
    'image.digest',
    'is missing; prod runs one image by its digest, sha256: and 64 hexadecimal digits, or names a `release`',
  );

const outlivesOnePod: Rule = ({ replicas }) =>
  Object.entries(replicas).flatMap(([process, count]) =>
    problemIf(count < 2, `replicas.${process}`, `is ${count}; prod needs 2 or more`),
  );

const accountingIsInside: Rule = ({ ingress }) =>
  problemIf(
    ingress.accounting.reach !== 'internal',
    'ingress.accounting.reach',
    'must be internal in prod; accounting is never reached from the internet',
  );

const isEncrypted: Rule = ({ ingress: { customer, admin, accounting } }) =>
  Object.entries({ customer, admin, accounting }).flatMap(([process, { tlsSecret }]) =>
    problemIf(
      tlsSecret === undefined,
      `ingress.${process}.tlsSecret`,
      'is missing; prod needs the name of the Secret with the certificate',
    ),
  );

const isFenced: Rule = ({ networkPolicy }) =>
  problemIf(!networkPolicy.enabled, 'networkPolicy.enabled', 'must be true in prod');

const isProtected: Rule = ({ protect }) =>
  problemIf(protect === false, 'protect', 'must be true or left out in prod');

/** Rules that only prod has. */
export const productionRules: readonly Rule[] = [
  runsInProductionMode,
  imageIsPinned,
  outlivesOnePod,
  accountingIsInside,
  isEncrypted,
  isFenced,
  isProtected,
].map(inProduction);
