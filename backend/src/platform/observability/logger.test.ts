import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { withRequestId } from '../http/request-scope.ts';
import { createLogger, type Logger } from './logger.ts';

const capture = (): {
  logger: Logger;
  lines: () => Record<string, unknown>[];
  text: () => string;
} => {
  const chunks: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk.toString('utf8'));
      done();
    },
  });
  const text = (): string => chunks.join('');
  return {
    logger: createLogger({ level: 'debug', name: 'test', destination }),
    text,
    lines: () =>
      text()
        .split('\n')
        .filter((line) => line !== '')
        .map((line): Record<string, unknown> => JSON.parse(line)),
  };
};

describe('logger', () => {
  it('writes one JSON line with level, time, service and fields', () => {
    const { logger, lines } = capture();
    logger.info({ orderId: 'o-1', amountPaise: 123_456n }, 'order placed');
    const [line] = lines();
    expect(line).toMatchObject({
      level: 'info',
      service: 'test',
      orderId: 'o-1',
      amountPaise: '123456',
      msg: 'order placed',
    });
    expect(line?.['time']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u);
  });

  it('takes out secret keys at any depth and however they are cased', () => {
    const { logger, text, lines } = capture();
    logger.warn({
      authorization: 'Zm9v',
      headers: { Cookie: 'sid=1', 'x-portal-token': 'abc', 'X-Gateway-Signature': 'ff00' },
      a: { b: { c: { d: { mpin: '1234', otp: '987654', refreshToken: 'r-1', pan: 'x' } } } },
      list: [{ password: 'p-1' }, { accountNumber: '00011122233' }],
      client_secret: 's-1',
    });
    for (const secret of ['Zm9v', 'sid=1', 'abc', 'ff00', '1234', '987654', 'r-1', 'p-1', 's-1']) {
      expect(text()).not.toContain(`"${secret}"`);
    }
    expect(text()).not.toContain('00011122233');
    expect(lines()[0]).toMatchObject({ list: [{ password: '[redacted]' }, {}] });
  });

  it('scrubs what looks personal from messages and errors, and keeps amounts', () => {
    const { logger, text, lines } = capture();
    const error = new Error('no user +919876543210 with PAN ABCDE1234F', {
      cause: new Error('aadhaar 2345 6789 0123 at https://u:p4ss@db.example/x'),
    });
    logger.error(
      { err: error, amountPaise: 9_876_543_210, at: '2026-11-21T05:28:17.123Z' },
      'sent to 9876543210 with Bearer abc.def and eyJhbGciOi.eyJzdWIi.c2ln for me@example.com',
    );
    const written = text();
    for (const secret of ['+919876543210', 'ABCDE1234F', '2345 6789', 'p4ss', 'c2ln', 'me@']) {
      expect(written).not.toContain(secret);
    }
    expect(lines()[0]).toMatchObject({
      amountPaise: 9_876_543_210,
      at: '2026-11-21T05:28:17.123Z',
      msg: 'sent to [phone] with Bearer [token] and [token] for [email]',
    });
  });

  it('scrubs bank accounts and signed addresses from messages, and keeps amounts', () => {
    const { logger, text, lines } = capture();
    const address =
      'https://s3.example/kyc/1?X-Amz-Signature=deadbeef01&X-Amz-Expires=60&token=t0k3n';
    logger.error(
      {
        err: new Error(`account 123456789 or 50100123456789012 at ${address}`),
        amountPaise: 123_456_789n,
      },
      'to 000111222333444',
    );
    for (const secret of ['123456789 ', '50100123456789012', 'deadbeef', 't0k3n', '000111']) {
      expect(text()).not.toContain(secret);
    }
    expect(lines()[0]).toMatchObject({ amountPaise: '123456789', msg: 'to [number]' });
    expect(text()).toContain('X-Amz-Expires=60');
  });

  it('takes out account numbers and gateway keys by their keys', () => {
    const { logger, text } = capture();
    logger.info({
      source_account_number: '7878780080316316',
      account: '50100123456',
      authkey: 'k-1',
    });
    for (const secret of ['7878780080316316', '50100123456', 'k-1']) {
      expect(text()).not.toContain(secret);
    }
  });

  it('leaves ids alone', () => {
    const { logger, lines } = capture();
    const ids = {
      uuid: '01890a5d-ac96-774b-bcce-b302099a8057',
      digits: '01234567-8912-7123-8123-234567890123',
    };
    logger.info(ids, `order ${ids.uuid} and ${ids.digits}`);
    expect(lines()[0]).toMatchObject({ ...ids, msg: `order ${ids.uuid} and ${ids.digits}` });
  });

  it('describes errors without the properties drivers hang on them', () => {
    const { logger, text, lines } = capture();
    logger.error({
      err: Object.assign(new Error('dup'), { code: '23505', detail: 'Key (x)=(y)' }),
    });
    expect(lines()[0]).toMatchObject({ err: { type: 'Error', message: 'dup', code: '23505' } });
    expect(text()).not.toContain('Key (x)');
  });

  it('redacts the bindings of children and adds the request at hand', () => {
    const { logger, lines } = capture();
    withRequestId('req-1', () => logger.child({ token: 'x', task: 't' }).info('hello'));
    expect(lines()[0]).toMatchObject({ token: '[redacted]', task: 't', requestId: 'req-1' });
  });

  it('never prints what is no plain data', () => {
    const { logger, lines } = capture();
    logger.info({ body: Buffer.from('secret'), map: new Map([['a', 1]]) });
    expect(lines()[0]).toMatchObject({ body: '[6 bytes]', map: '[Map]' });
  });
});
