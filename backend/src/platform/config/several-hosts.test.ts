import { expect, it } from 'vitest';
import { hostsOf, spreadHosts } from './several-hosts.ts';

it('the configuration keeps the hosts of an address apart, each with its port', () => {
  const spread = spreadHosts(
    'postgresql://dgs_app:p%40ss@one,two:5433,[::1]:5434/gold?sslmode=require',
  );
  if ('problem' in spread) throw new Error(spread.problem);
  expect(new URL(spread.text)).toMatchObject({
    host: 'one',
    password: 'p%40ss',
    pathname: '/gold',
  });
  expect(new URL(spread.text).searchParams.get('sslmode')).toBe('require');
  expect(hostsOf(spread.text)).toEqual([
    { host: 'one', port: 5432 },
    { host: 'two', port: 5433 },
    { host: '::1', port: 5434 },
  ]);
});

it('the configuration leaves an address with one host as it is', () => {
  const text = 'postgresql://dgs_app:secret@one:5432/gold?sslmode=require';
  expect(spreadHosts(text)).toEqual({ text });
  expect(hostsOf(text)).toEqual([]);
});

const of = (wanted: string) =>
  spreadHosts(`postgresql://dgs_app@one,two/gold?target_session_attrs=${wanted}`);

it('the configuration takes the sessions that write, and refuses others', () => {
  for (const wanted of ['read-write', 'primary']) expect(of(wanted)).toHaveProperty('text');
  for (const wanted of ['any', 'standby', 'read-only', 'prefer-standby']) {
    expect(of(wanted)).toHaveProperty('problem');
  }
});

it('the configuration refuses a host that is none', () => {
  expect(spreadHosts('postgresql://dgs_app@one:x,two/gold')).toHaveProperty('problem');
});
