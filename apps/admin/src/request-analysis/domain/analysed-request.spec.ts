import { readRequest, shareOwner } from './analysed-request';

const request = (url: string, further: object = {}) =>
  readRequest({ method: 'GET', url, remoteIP: '10.0.0.1', headers: [], ...further }, ['', '/ajax']);

describe('an analysed request', () => {
  it('is read: path below the longest base, first parameters, headers in any case', () => {
    const headers = [
      { name: 'Cookie', value: 'a=1' },
      { name: 'cookie', value: 'b=2' },
      { name: 'User-Agent', value: 'x' },
    ];
    const read = request('https://h/ajax/calendar/?action=all&session=1&session=2', { headers });
    expect([read.apiPath, read.query.get('session')]).toEqual(['calendar', '1']);
    expect({ ...read.headers }).toEqual({ cookie: 'a=1; b=2', 'user-agent': 'x' });
    const body = Buffer.from('name=a%40b&password=x').toString('base64');
    expect(request('http://h/login', { body }).form?.get('name')).toBe('a@b');
    expect(request('http://h/login', { body: '' }).form).toBeUndefined();
  });

  it('must have an absolute URL and a body in base64', () => {
    for (const url of ['/calendar', 'calendar', 'http://', 'ftp://h/a', 'mailto:a@b'])
      expect(() => request(url)).toThrow(/SVL-0031/);
    for (const body of ['a', '!!!!', 'YQ', 'YQ===']) expect(() => request('http://h/', { body })).toThrow(/SVL-0031/);
  });

  it('may have share tokens', () => {
    const hex = (number: number) => (number >>> 0).toString(16).padStart(8, '0');
    const [mask, other] = [0xdeadbeef, 0x12345678];
    const token = hex(7 ^ mask) + hex(3 ^ other) + hex(mask) + hex(other) + '0'.repeat(16);
    expect(shareOwner(token)).toEqual({ contextId: 7, userId: 3 });
    for (const bad of ['', 'x'.repeat(48), token.slice(1), '0'.repeat(48)]) expect(shareOwner(bad)).toBeUndefined();
  });
});
