import { writeFileSync, mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import { IsInt, Max } from 'class-validator';
import { Secret } from './secret';
import { BadSettings, loadSettings, Setting } from './setting';

class First {
  @Setting({ env: 'T_PORT', doc: 'a port' }) @IsInt() @Max(10) port = 8;
  @Setting({ env: 'T_ON', doc: 'a switch' }) on = false;
  @Setting({ env: 'T_LIST', doc: 'a list' }) list: string[] = [];
}
class Second {
  @Setting({ env: 'T_KEY', doc: 'a key', type: 'secret' }) key = new Secret('');
}

describe('settings', () => {
  it('have defaults that work and take values of the environment', () => {
    const { instances, effective } = loadSettings([First, Second], { T_ON: 'true', T_LIST: 'a, b', T_KEY: 'hush' });
    expect(instances.get(First)).toEqual({ port: 8, on: true, list: ['a', 'b'] });
    expect((instances.get(Second) as Second).key.reveal()).toBe('hush');
    expect(effective.map(({ env, source }) => [env, source])).toEqual([
      ['T_PORT', 'default'],
      ['T_ON', 'environment'],
      ['T_LIST', 'environment'],
      ['T_KEY', 'environment'],
    ]);
  });

  it('report every problem of every class at once', () => {
    const load = () => loadSettings([First, Second], { T_PORT: '11', T_ON: 'perhaps', T_KEY_FILE: '/nowhere/at/all' });
    expect(load).toThrow(BadSettings);
    expect(load).toThrow(/T_PORT[^]*T_ON|T_ON[^]*T_PORT/);
    expect(load).toThrow(/T_KEY_FILE/);
  });

  it('read secrets from files and never print them', () => {
    const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'setting-')), 'key');
    writeFileSync(file, 'from a file\n');
    const { key } = loadSettings([Second], { T_KEY_FILE: file }).instances.get(Second) as Second;
    expect(key.reveal()).toBe('from a file');
    expect([`${key}`, JSON.stringify({ key }), inspect({ key })].join()).not.toContain('from a file');
  });
});
