import { AddressCheck } from './address-check';
import type { Session } from './session';
import { createSessionSettings, type SessionSettings } from './session-settings';

const mayMove = (settings: Partial<SessionSettings>, from: string, to: string, client = 'c1') =>
  new AddressCheck({ ...createSessionSettings(), ...settings }).canMove({ ip: from, client } as Session, to);

describe('AddressCheck', () => {
  it('refuses another address by default', () => {
    expect(mayMove({}, '192.0.2.1', '192.0.2.2')).toBe(false);
    expect(mayMove({}, '192.0.2.1', '2001:db8::1')).toBe(false);
    expect(mayMove({}, '192.0.2.1', 'no address')).toBe(false);
  });

  it('takes other spellings of the same address', () => {
    expect(mayMove({}, '192.0.2.1', '::ffff:192.0.2.1')).toBe(true);
    expect(mayMove({}, '2001:db8::1', '2001:0db8:0:0:0:0:0:1')).toBe(true);
  });

  it('takes addresses of the configured subnet', () => {
    expect(mayMove({ ipMaskV4: 24 }, '192.0.2.1', '192.0.2.200')).toBe(true);
    expect(mayMove({ ipMaskV4: 24 }, '192.0.2.1', '192.0.3.1')).toBe(false);
    expect(mayMove({ ipMaskV6: 64 }, '2001:db8::1', '2001:db8::ffff')).toBe(true);
    expect(mayMove({ ipMaskV6: 64 }, '2001:db8::1', '2001:db8:0:1::1')).toBe(false);
  });

  it('takes white-listed ranges, addresses and clients', () => {
    expect(mayMove({ ipWhiteList: ['10.0.0.0/8'] }, '192.0.2.1', '10.9.8.7')).toBe(true);
    expect(mayMove({ ipWhiteList: ['10.1.1.1', 'broken/99'] }, '192.0.2.1', '10.1.1.1')).toBe(true);
    expect(mayMove({ ipWhiteList: ['10.0.0.0/8'] }, '192.0.2.1', '11.0.0.1')).toBe(false);
    expect(mayMove({ clientWhiteList: ['mobile'] }, '192.0.2.1', '198.51.100.1', 'mobile')).toBe(true);
  });
});
