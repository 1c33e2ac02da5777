import { decodeCharset } from './charset';

const decode = (bytes: string, charset?: string) => decodeCharset(Buffer.from(bytes, 'latin1'), charset);

describe('bytes of a text', () => {
  it.each([undefined, 'utf-8', 'us-ascii', 'foo-bar', 'x-user-defined'])(
    'are guessed for the charset %s',
    (charset) => {
      expect(decode('caf\xe9', charset)).toBe('caf\u00e9');
      expect(decode('caf\xc3\xa9', charset)).toBe('caf\u00e9');
    },
  );

  it('are read in a charset that is known', () => {
    expect(decode('caf\x82', 'cp850')).toBe('caf\u00e9');
    expect(decode('caf\xe9', 'iso-8859-5')).toBe('caf\u0449');
  });
});
