import { decodeCharset, decodeHtmlCharset } from './charset';

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

describe('bytes of an HTML document', () => {
  const PRIVET = '\u041f\u0440\u0438\u0432\u0435\u0442';
  const KOI8 = '\xf0\xd2\xc9\xd7\xc5\xd4';
  const METAS = {
    old: (name: string) => `<meta http-equiv="Content-Type" content="text/html; charset=${name}">`,
    new: (name: string) => `<meta charset=${name}>`,
  };
  const read = (meta: string, text: string, charset?: string) =>
    decodeHtmlCharset(Buffer.from(meta + text, 'latin1'), charset).slice(meta.length);

  it.each([undefined, 'us-ascii'])('are read in the charset that it names where its mail says %s', (charset) => {
    expect(read(METAS.old('koi8-r'), KOI8, charset)).toBe(PRIVET);
    expect(read(METAS.new('koi8-r'), KOI8, charset)).toBe(PRIVET);
    expect(read(METAS.new('windows-1251'), '\xcf\xf0\xe8\xe2\xe5\xf2', charset)).toBe(PRIVET);
    expect(read(METAS.new('iso-2022-jp'), '\x1b$B$"\x1b(B', charset)).toBe('\u3042');
  });

  it('are read in the charset that its mail names, and as UTF-8 when they are that', () => {
    expect(read(METAS.new('utf-8'), KOI8, 'koi8-r')).toBe(PRIVET);
    expect(read(METAS.new('koi8-r'), 'caf\xc3\xa9')).toBe('caf\u00e9');
    expect(read(METAS.new('utf-16'), 'cafe')).toBe('cafe');
    expect(read('', 'caf\xe9')).toBe('caf\u00e9');
  });
});
