import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSwitches, type SwitchName } from './index.ts';

const name: SwitchName = 'DIGITAL_GOLD_PAYMENT_ENABLED';
let dir: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'switches-'));
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

const on = ['true', 'TRUE', 'True', 'tRuE'];
const off = ['', '1', 'yes', 'on', 'false', ' true', 'true ', '\ttrue', 'true,', '"true"', 'truee'];

const withFile = (text: string) => {
  writeFileSync(join(dir, name), text);
  return createSwitches({ settingsDir: dir, env: { [name]: 'true' } });
};
const withText = (text: string | undefined) =>
  createSwitches({ settingsDir: undefined, env: { [name]: text } });

describe('a switch in a folder', () => {
  it.each([...on, 'true\n'])('is on for %j', async (text) => {
    expect(await withFile(text).isOn(name)).toBe(true);
  });

  it.each([...off, 'true\n\n', 'true\r\n', '\ntrue', '\uFEFFtrue', 'true\u0000'])(
    'is off for %j',
    async (text) => {
      expect(await withFile(text).isOn(name)).toBe(false);
    },
  );

  it('is read again at every check, never from the environment', async () => {
    const switches = withFile('true');
    expect(await switches.isOn(name)).toBe(true);
    writeFileSync(join(dir, name), 'false\n');
    expect(await switches.isOn(name)).toBe(false);
    rmSync(join(dir, name));
    expect(await switches.isOn(name)).toBe(false);
    expect(await switches.read(name)).toBeUndefined();
  });

  it('is off if it cannot be read', async () => {
    mkdirSync(join(dir, 'DIGITAL_SELL_ENABLED'));
    const switches = createSwitches({ settingsDir: dir, env: {} });
    expect(await switches.isOn('DIGITAL_SELL_ENABLED')).toBe(false);
    const missing = createSwitches({ settingsDir: join(dir, 'none'), env: { [name]: 'true' } });
    expect(await missing.isOn(name)).toBe(false);
  });

  it('returns a mode exactly, without one newline at its end', async () => {
    const switches = createSwitches({ settingsDir: dir, env: {} });
    const modeOf = async (text: string) => {
      writeFileSync(join(dir, 'ACCOUNTING_PORTAL_MODE'), text);
      return switches.read('ACCOUNTING_PORTAL_MODE');
    };
    expect(await modeOf('readwrite\n')).toBe('readwrite');
    expect(await modeOf('readwrite\n\n')).toBe('readwrite\n');
    expect(await modeOf('ReadWrite ')).toBe('ReadWrite ');
    expect(await modeOf('')).toBe('');
  });
});

describe('a switch without a folder', () => {
  it.each(on)('is on for %j', async (text) => {
    expect(await withText(text).isOn(name)).toBe(true);
  });

  it.each([...off, undefined])('is off for %j', async (text) => {
    expect(await withText(text).isOn(name)).toBe(false);
  });

  it('follows the environment at every check', async () => {
    const env: Record<string, string> = {};
    const switches = createSwitches({ settingsDir: undefined, env });
    expect(await switches.isOn(name)).toBe(false);
    env[name] = 'true';
    expect(await switches.isOn(name)).toBe(true);
  });
});
