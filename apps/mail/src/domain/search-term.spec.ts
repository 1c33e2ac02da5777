import { atom } from '@groupware/mail-access';
import { compileTerm, NO_MAILS } from './search-term';

const flags = (bits: number) => compileTerm(['=', { field: 'flags' }, bits], { minCharacters: 0 });
const keyword = (name: string) => [atom('KEYWORD'), atom(name)];

describe('a comparison with flags', () => {
  it('finds mails that have all of them, however a server names them', () => {
    expect(flags(32)).toEqual([atom('SEEN')]);
    expect(flags(1 + 8)).toEqual([atom('ANSWERED'), atom('FLAGGED')]);
    expect(flags(128)).toEqual([atom('OR'), keyword('$junk'), keyword('junk')]);
    expect(flags(32 + 512)).toEqual([atom('SEEN'), ...keyword('$mdnsent')]);
  });

  it('finds none by a bit that no mail has, and all by none and by what a folder allows', () => {
    for (const bits of [1024, 32 + 1024, 2 ** 31]) expect(flags(bits)).toEqual(NO_MAILS);
    for (const bits of [0, 64]) expect(flags(bits)).toEqual([atom('ALL')]);
  });
});
