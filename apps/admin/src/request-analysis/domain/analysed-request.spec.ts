import { parseRequest } from './analysed-request';

const request = (url: string, further: object = {}) =>
  parseRequest({ method: 'GET', url, remoteIP: '10.0.0.1', headers: [], ...further }, ['', '/ajax']);

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
});
