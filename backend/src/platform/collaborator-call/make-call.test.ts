import { describe, expect, it } from 'vitest';
import { NOT_SENT } from '../http-client/index.ts';
import { createMetrics, createSilentLogger } from '../observability/index.ts';
import { done, refused, unknown, type Outcome } from '../outcome/outcome.ts';
import {
  makeCall,
  readFound,
  skip,
  type CallProtocol,
  type CallResult,
  type Claim,
  type Found,
  type Undone,
} from './index.ts';

type Protocol = CallProtocol<string, string, string>;

const unread = refused(NOT_SENT, 'the network is down');
const refusal = refused('NO_FUNDS', 'no funds');
const none = { kind: 'NONE', reason: 'not there' } as const;
const silent = { kind: 'UNKNOWN', reason: 'silent' } as const;
const closed = { kind: 'REFUSED', code: 'CLOSED', reason: 'closed' } as const;
const there = { kind: 'DONE', value: 'there' } as const;

interface Script {
  readonly claim?: Claim<string>;
  /** The collaborator's answer to each query, in turn. */
  readonly found?: readonly Outcome<string | undefined>[];
  /** The collaborator's records, in turn, before those answers. */
  readonly records?: readonly Found<string>[];
  readonly hasArrived?: boolean;
  readonly next?: 'SEND' | Undone;
  readonly answer?: Outcome<string> | undefined;
  readonly queriesAfter?: Protocol['queriesAfter'];
  readonly renew?: boolean;
  readonly record?: Protocol['record'];
}

const first: Claim<string> = { kind: 'SEND', call: 'a', wasSent: false };
const again: Claim<string> = { kind: 'SEND', call: 'a', wasSent: true };
const cutOff = () => Promise.reject(new Error('the database is gone'));
const queried: Claim<string> = { kind: 'QUERY', call: 'a' };

/** Makes one call as scripted, and returns its steps in order, its result and what was counted. */
const play = async (script: Script) => {
  const steps: string[] = [];
  const recorded: CallResult<string>[] = [];
  const answers = [...(script.found ?? [done(undefined)])];
  const records = [...(script.records ?? [])];
  const metrics = createMetrics({ service: 'test', collectsDefaults: false });
  const protocol: Protocol = {
    flow: 'payout',
    fieldsOf: (id) => ({ payoutId: id }),
    claim: async () => script.claim ?? first,
    hasArrived() {
      steps.push('judge');
      return script.hasArrived ?? false;
    },
    async query() {
      steps.push('query');
      return records.shift() ?? readFound(answers.shift() ?? unknown('silent'));
    },
    decide(_call, hasArrived) {
      steps.push(`decide ${hasArrived}`);
      return script.next ?? 'SEND';
    },
    async renew() {
      steps.push('renew');
      return script.renew ?? true;
    },
    async send() {
      steps.push('send');
      return 'answer' in script ? script.answer : done('sent');
    },
    ...(script.queriesAfter !== undefined && { queriesAfter: script.queriesAfter }),
    async record(call, result) {
      steps.push('record');
      recorded.push(result);
      await script.record?.(call, result);
    },
    async release() {
      steps.push('release');
    },
  };
  const made = makeCall({ logger: createSilentLogger(), metrics }, protocol, 'id');
  const [outcome] = await Promise.allSettled([made]);
  const counted = [
    ...(await metrics.registry.metrics()).matchAll(/outcome="(?<kind>\w+)".* 1$/gmu),
  ];
  return {
    steps: steps.join(', '),
    result: recorded[0],
    kind: outcome.status === 'fulfilled' ? outcome.value.kind : String(outcome.reason),
    counted: counted.map(({ groups }) => groups?.['kind']),
  };
};

describe('a call that was never sent', () => {
  it('is sent without a query, and its answer is recorded', async () => {
    expect(await play({})).toEqual({
      steps: 'decide true, send, record, release',
      result: { kind: 'DONE', by: 'ANSWER', value: 'sent', answer: done('sent') },
      kind: 'DONE',
      counted: ['DONE'],
    });
  });

  it.each([
    [refusal, 'REFUSED'],
    [unread, 'INTENDED'],
    [unknown('timeout'), 'UNKNOWN'],
  ] as const)('and is answered %j is %s', async (answer, kind) => {
    const played = await play({ answer });
    expect(played).toMatchObject({ kind, result: { kind, answer }, counted: [kind] });
    expect(played.steps).toBe('decide true, send, record, release');
  });

  it('is queried after an unknown answer where the flow says so', async () => {
    const answer = unknown('timeout');
    const found = await play({ answer, queriesAfter: 'UNKNOWN', found: [done('there')] });
    expect(found.result).toEqual({ kind: 'DONE', by: 'QUERY', value: 'there', answer });
    for (const nothing of [none, silent]) {
      const open = await play({ answer, queriesAfter: 'UNKNOWN', records: [nothing] });
      expect(open.result).toEqual({ kind: 'UNKNOWN', reason: 'timeout', answer, found: nothing });
    }
  });
});

describe('a call that may have been sent', () => {
  it('is queried first, and not sent again where the collaborator has it', async () => {
    const played = await play({ claim: again, found: [done('there')] });
    expect(played.steps).toBe('judge, query, record, release');
    expect(played.result).toEqual({ kind: 'DONE', by: 'QUERY', value: 'there' });
  });

  it.each([unknown('silent'), refused('NO_ACCESS', 'no'), unread])(
    'is not sent again while the query is answered %j',
    async (found) => {
      const played = await play({ claim: again, found: [found], hasArrived: true });
      expect(played).toMatchObject({ steps: 'judge, query, record, release', kind: 'UNKNOWN' });
      expect(played.result).not.toHaveProperty('answer');
    },
  );

  it('is sent again where the flow decides so, by what had arrived before the query', async () => {
    const played = await play({ claim: again, hasArrived: true });
    expect(played.steps).toBe('judge, query, decide true, renew, send, record, release');
    const { steps } = await play({ claim: again, answer: unknown('timeout') });
    expect(steps).toBe('judge, query, decide false, renew, send, judge, record, release');
  });

  it.each(['INTENDED', 'UNKNOWN'] as const)('is %s where the flow decides so', async (kind) => {
    const next = { kind, reason: 'not now' };
    const played = await play({ claim: again, next });
    expect(played).toMatchObject({ kind, result: next, counted: [kind] });
    expect(played.steps).toBe('judge, query, decide false, record, release');
  });

  it('is refused by the answer only where no earlier request may still arrive', async () => {
    const answer = refusal;
    expect(await play({ claim: again, answer })).toMatchObject({ kind: 'UNKNOWN' });
    const late = await play({ claim: again, answer, hasArrived: true });
    expect(late.result).toEqual({ kind: 'REFUSED', code: 'NO_FUNDS', reason: 'no funds', answer });
  });

  it('stays unknown where this request was refused unread', async () => {
    const played = await play({ claim: again, answer: unread, hasArrived: true });
    expect(played).toMatchObject({ kind: 'UNKNOWN', result: { answer: unread } });
  });
});

describe('a call that the record of the collaborator decides', () => {
  it('is queried after each request, and done only by the record', async () => {
    for (const answer of [done('sent'), refusal, unread, unknown('timeout')]) {
      const played = await play({ answer, queriesAfter: 'EVERY', records: [there] });
      expect(played.steps).toBe('decide true, send, query, record, release');
      expect(played.result).toEqual({ kind: 'DONE', by: 'QUERY', value: 'there', answer });
    }
  });

  it('is refused by the record alone, before the request or after it', async () => {
    const answer = unknown('timeout');
    const after = await play({ answer, queriesAfter: 'EVERY', records: [closed] });
    expect(after.result).toEqual({ ...closed, answer, found: closed });
    const before = await play({ claim: again, queriesAfter: 'EVERY', records: [closed] });
    expect(before.steps).toBe('judge, query, record, release');
    expect(before.result).toEqual({ ...closed, found: closed });
  });

  it.each([none, silent])('is open while the record is %j', async (found) => {
    for (const answer of [done('sent'), unknown('timeout')]) {
      const played = await play({ answer, queriesAfter: 'EVERY', records: [found] });
      expect(played).toMatchObject({ kind: 'UNKNOWN', result: { answer, found } });
    }
    // The only request was refused: nothing is left of it.
    for (const answer of [refusal, unread]) {
      const only = await play({ answer, queriesAfter: 'EVERY', records: [found] });
      expect(only).toMatchObject({ kind: 'INTENDED', result: { answer, found } });
      const records = [none, found];
      const repeat = await play({ claim: again, answer, queriesAfter: 'EVERY', records });
      expect(repeat).toMatchObject({ kind: 'UNKNOWN', result: { answer, found } });
    }
  });
});

describe('a call that is only queried', () => {
  it('is never sent, whatever the flow decides', async () => {
    const played = await play({ claim: queried });
    expect(played.steps).toBe('judge, query, decide false, release');
    expect(played.kind).toContain('a payout that is only queried is not sent');
    expect(played.counted).toEqual([]);
  });
});

describe('a turn', () => {
  it('does nothing where nothing is to be done', async () => {
    const played = await play({ claim: skip('it is PAID') });
    expect(played).toEqual({ steps: '', result: undefined, kind: 'SKIP', counted: ['SKIP'] });
  });

  it('records nothing where its lease was lost before the request', async () => {
    const played = await play({ answer: undefined });
    expect(played).toMatchObject({ kind: 'SKIP', result: undefined, counted: ['SKIP'] });
    expect(played.steps).toBe('decide true, send, release');
  });

  it('sends nothing where its lease was lost during the query', async () => {
    const played = await play({ claim: again, hasArrived: true, renew: false });
    expect(played).toMatchObject({ kind: 'SKIP', result: undefined, counted: ['SKIP'] });
    expect(played.steps).toBe('judge, query, decide true, renew, release');
  });

  it('ends its lease where the record fails, and fails itself', async () => {
    const played = await play({ record: cutOff });
    expect(played.steps).toBe('decide true, send, record, release');
    expect(played.kind).toContain('the database is gone');
  });
});
