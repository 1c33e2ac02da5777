import type { IncomingMessage } from 'node:http';
import { ClientAddresses, parseRange } from './client-address';

const request = (peer: string, headers: Record<string, string> = {}): IncomingMessage =>
  ({ socket: { remoteAddress: peer }, headers: { host: 'inner', ...headers } }) as unknown as IncomingMessage;

describe('address of the client', () => {
  it('believes nobody unless told so', () => {
    const addresses = new ClientAddresses([]);
    expect(
      addresses.originOf(request('10.0.0.1', { 'x-forwarded-for': '1.2.3.4', 'x-forwarded-proto': 'https' })),
    ).toEqual({ remoteAddress: '10.0.0.1', secure: false, host: 'inner', isForwarded: false });
  });

  it('believes configured proxies only', () => {
    const addresses = new ClientAddresses(['10.0.0.0/8', '::1']);
    const headers = { 'x-forwarded-for': '1.2.3.4', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'outer' };
    expect(addresses.originOf(request('10.9.9.9', headers))).toEqual({
      remoteAddress: '1.2.3.4',
      secure: true,
      host: 'outer',
      isForwarded: true,
    });
    expect(addresses.originOf(request('::1', headers)).remoteAddress).toBe('1.2.3.4');
    expect(addresses.originOf(request('::ffff:10.1.1.1', headers)).remoteAddress).toBe('1.2.3.4');
    expect(addresses.originOf(request('11.0.0.1', headers)).remoteAddress).toBe('11.0.0.1');
  });

  it('ignores what the client itself wrote into the list', () => {
    const addresses = new ClientAddresses(['10.0.0.0/8']);
    const chain = (value: string): string =>
      addresses.originOf(request('10.0.0.1', { 'x-forwarded-for': value })).remoteAddress;
    expect(chain('9.9.9.9, 1.2.3.4, 10.0.0.2')).toBe('1.2.3.4');
    expect(chain('9.9.9.9, not-an-address, 10.0.0.2')).toBe('10.0.0.2');
    expect(chain('[2001:db8::1]:443')).toBe('2001:db8::1');
    expect(chain('1.2.3.4:5555')).toBe('1.2.3.4');
    expect(chain('')).toBe('10.0.0.1');
  });

  it('reads addresses and networks', () => {
    expect(parseRange('10.0.0.0/8')?.[1]).toBe(8);
    expect(parseRange('2001:db8::1')?.[1]).toBe(128);
    expect(parseRange('10.0.0.0/99')).toBeUndefined();
    expect(parseRange('proxy.example')).toBeUndefined();
  });
});
