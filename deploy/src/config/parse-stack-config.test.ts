import { describe, expect, it } from 'vitest';
import {
  parseInput,
  prodInput,
  refusalOf,
  releases,
  textsOf,
  withPath,
} from '../../test/support/stack-texts.ts';
import { keyPrefix, parseStackConfig } from './parse-stack-config.ts';

describe('the configuration of a stack', () => {
  it('is read from the texts that Pulumi hands over, with its defaults', () => {
    const config = parseInput(prodInput());
    expect(config.replicas).toEqual({ customer: 3, admin: 2, accounting: 2, worker: 2 });
    expect(config.appMode).toBe('production');
    expect(config.testbed).toBe(false);
    expect(config.ingress.accounting.reach).toBe('internal');
    expect(config.settings).toEqual({
      DIGITAL_GOLD_PAYMENT_ENABLED: 'false',
      DIGITAL_SELL_ENABLED: 'false',
      ACCOUNTING_PORTAL_MODE: 'readonly',
      ACCOUNTING_AUTO_POSTING_ENABLED: 'false',
    });
  });

  it('leaves the configuration of others alone', () => {
    const texts = { ...textsOf(prodInput()), 'kubernetes:context': 'other', 'aws:region': 'x' };
    expect(parseStackConfig(texts, [`${keyPrefix}secrets`], releases).namespace).toBe(
      'digital-gold',
    );
  });

  it('keeps a text that looks like a number a text', () => {
    expect(parseInput(withPath(prodInput(), 'kubeContext', '123')).kubeContext).toBe('123');
  });

  it('takes for text what the CLI made a number or a flag of', () => {
    const input = withPath(withPath(prodInput(), 'image.tag', 7), 'environment.POOL', 20);
    const config = parseInput(withPath(input, 'settings.DIGITAL_SELL_ENABLED', true));
    expect(config.image.tag).toBe('7');
    expect(config.environment['POOL']).toBe('20');
    expect(config.settings.DIGITAL_SELL_ENABLED).toBe('true');
  });

  it('names every key that is missing', () => {
    const message = refusalOf({});
    for (const key of ['tier', 'namespace', 'ingress']) {
      expect(message).toContain(`digital-gold:${key} is missing`);
    }
    expect(refusalOf(withPath(prodInput(), 'image.tag', undefined))).toContain(
      'digital-gold:image.tag is missing',
    );
  });

  it.each([
    ['tier', 'live', '"dev"|"staging"|"prod"'],
    ['namespace', 'Digital_Gold', 'lower-case letters'],
    ['replicas.customer', 0, '>=1'],
    ['replicas.customer', 1.5, 'expected int'],
    ['image.digest', 'sha256:short', '64 hexadecimal digits'],
    ['ingress.admin.host', 'http://admin.example', 'without a port'],
    ['ingress.admin.reach', 'everywhere', '"public"|"internal"'],
    ['objectStore.size', '5 gigabytes', 'Mi, Gi or Ti'],
    ['networkPolicy.database', ['db.example'], 'range of addresses'],
    ['environment.LOG_LEVEL', { level: 5 }, 'must be text; set it with --type string'],
    ['environment.ACCOUNT_NUMBER', 2 ** 60, 'must be text; set it with --type string'],
    ['environment.log_level', 'info', 'upper-case letters'],
    ['testbed', 'maybe', 'expected boolean'],
  ])('says what is allowed when %s is %j', (path, value, allowed) => {
    const message = refusalOf(withPath(prodInput(), path, value));
    const lines = message.split('\n').slice(1);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(new RegExp(`^ {2}digital-gold:${path}(\\.0)? `, 'u'));
    expect(lines[0]).toContain(allowed);
  });

  it.each([
    ['replica', 'tier, namespace, kubeContext'],
    ['image.tags', 'repository, tag, digest, pullPolicy, pullSecrets'],
    ['ingress.customer.port', 'host, reach, tlsSecret, annotations'],
    ['settings.BUYING', 'DIGITAL_GOLD_PAYMENT_ENABLED, DIGITAL_SELL_ENABLED'],
  ])('refuses %s, which it does not know, with those it knows', (path, known) => {
    const message = refusalOf(withPath(prodInput(), path, 'x'));
    expect(message).toContain(`digital-gold:${path} is not a known key; allowed are ${known}`);
  });

  it('refuses secrets that are not encrypted, and shows none', () => {
    const message = refusalOf(prodInput(), []);
    expect(message).toContain('digital-gold:secrets is in clear; set each of them with --secret');
    expect(message).not.toContain('word-one');
  });
});
