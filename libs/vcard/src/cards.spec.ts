import type { Card, ReadCard } from './card';
import { readCards } from './card-reader';
import { writeCard } from './card-writer';
import { overlayContact, readContact } from './contact-card';

async function readAll(text: string | Uint8Array, charset?: string): Promise<ReadCard[]> {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const cards: ReadCard[] = [];
  // In pieces, as files come.
  const pieces = [bytes.subarray(0, 2), bytes.subarray(2, 90), bytes.subarray(90)];
  for await (const card of readCards(pieces, { ...(charset && { charset }), pause: () => undefined })) cards.push(card);
  return cards;
}

const card = (version: string, ...lines: string[]): string =>
  ['BEGIN:VCARD', `VERSION:${version}`, ...lines, 'END:VCARD', ''].join('\r\n');
const contactOf = async (text: string | Uint8Array) => {
  const [first] = await readAll(text);
  return readContact(first!.card!).contact;
};
const textsOf = async (text: string | Uint8Array) => (await contactOf(text)).texts;

describe('cards of programs', () => {
  it('have versions that are read in linear time', async () => {
    const [first] = await readAll(card(`3.0${' '.repeat(600_000)}x`, 'FN:Ann'));
    expect(first!.card).toBeDefined();
  });

  it('have labels that find their addresses in linear time', async () => {
    const count = 60_000;
    const lines = Array.from({ length: count }, (_none, index) => [
      `LABEL;TYPE=home:${index}`,
      'ADR;TYPE=home:;;a',
    ]).flat();
    const limits = { maxCardLines: Infinity, maxCardProperties: Infinity, maxCardTextBytes: Infinity };
    for await (const { card: read } of readCards([Buffer.from(card('3.0', ...lines))], {
      ...limits,
      pause: () => undefined,
    })) {
      expect(read!.properties).toHaveLength(count);
      expect(read!.properties.at(-1)!.parameters.label).toEqual([String(count - 1)]);
    }
  });

  it('have encodings that are looked for in linear time', async () => {
    const [first] = await readAll(card('3.0', 'FN:Ann', `NOTE${';quoted-printable'.repeat(20_000)}`));
    expect(first!.card).toBeDefined();
  });

  it('of Outlook, version 2.1, hold quoted-printable texts over several lines and bare types', async () => {
    const text = card(
      '2.1',
      'N;LANGUAGE=de;ENCODING=QUOTED-PRINTABLE;CHARSET=Windows-1252:M=FCller;J=F6rg;;Dr.',
      'FN:Dr. Jörg M\u00fcller',
      'ORG:A & B, Co.;Sales',
      'NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:First=0D=0A=',
      ' second =C3=A4; comma, =',
      'end',
      'TEL;WORK;VOICE:+49 1',
      'TEL;HOME;VOICE:+49 2',
      'TEL;CELL;VOICE:+49 3',
      'TEL;WORK;FAX:+49 4',
      'ADR;WORK;PREF:;;Street 1;Bonn;NRW;53111;Germany',
      'LABEL;WORK;PREF;ENCODING=QUOTED-PRINTABLE:Street 1=0D=0A=',
      '53111 Bonn',
      'EMAIL;PREF;INTERNET:j@x.example',
      'BDAY:19700203',
      'X-MS-CHILD:Ann, Bob',
      'PHOTO;TYPE=JPEG;ENCODING=BASE64:',
      ' /9j/4AAQ',
      '',
    );
    const { texts, birthday } = await contactOf(text);
    expect(texts).toEqual({
      last_name: 'Müller',
      first_name: 'Jörg',
      title: 'Dr.',
      display_name: 'Dr. Jörg Müller',
      company: 'A & B, Co.',
      department: 'Sales',
      note: 'First\n second ä; comma, end',
      telephone_business1: '+49 1',
      telephone_home1: '+49 2',
      cellular_telephone1: '+49 3',
      fax_business: '+49 4',
      street_business: 'Street 1',
      city_business: 'Bonn',
      state_business: 'NRW',
      postal_code_business: '53111',
      country_business: 'Germany',
      addressBusiness: 'Street 1\n53111 Bonn',
      email1: 'j@x.example',
      number_of_children: 'Ann, Bob',
    });
    expect(birthday).toBe(Date.UTC(1970, 1, 3));
  });

  it('of Apple hold groups with labels and days without year', async () => {
    const { texts, birthday } = await contactOf(
      card(
        '3.0',
        'N:Falk;Nora;;;',
        'FN:Nora Falk',
        'item1.EMAIL;type=INTERNET:other@x.example',
        'item1.X-ABLabel:_$!<Other>!$_',
        'EMAIL;type=INTERNET;type=HOME;type=pref:home@x.example',
        'item2.TEL:+1 5',
        'item2.X-ABLabel:_$!<Work>!$_',
        'TEL;type=IPHONE;type=CELL;type=VOICE:+1 6',
        'BDAY;X-APPLE-OMIT-YEAR=1604:1604-04-15',
        'item3.URL;type=pref:http\\://x.example/',
      ),
    );
    expect(texts).toMatchObject({
      email2: 'home@x.example',
      email3: 'other@x.example',
      telephone_business1: '+1 5',
      cellular_telephone1: '+1 6',
      url: 'http://x.example/',
    });
    expect(birthday).toBe(Date.parse('0001-04-15T00:00:00Z'));
  });

  it('hold numbers, messengers and people in properties of one program', async () => {
    const outlook = ['COMPANY', 'CALLBACK', 'RADIO', 'ASSISTANT', 'TTYTDD'].map(
      (type) => `X-MS-TEL;VOICE;${type}:${type}`,
    );
    expect(await textsOf(card('2.1', ...outlook, 'X-MS-IMADDRESS:im'))).toEqual({
      telephone_company: 'COMPANY',
      telephone_callback: 'CALLBACK',
      telephone_radio: 'RADIO',
      telephone_assistant: 'ASSISTANT',
      telephone_ttytdd: 'TTYTDD',
      instant_messenger1: 'im',
    });
    const apple = ['Spouse', 'Manager', 'Assistant', 'Sister'].flatMap((label, index) => [
      `item${index}.X-ABRELATEDNAMES;type=pref:${label} of A`,
      `item${index}.X-ABLabel:_$!<${label}>!$_`,
    ]);
    expect(await textsOf(card('3.0', 'FN:A', ...apple))).toEqual({
      display_name: 'A',
      spouse_name: 'Spouse of A',
      manager_name: 'Manager of A',
      assistant_name: 'Assistant of A',
    });
  });

  it('of Google and Thunderbird hold addresses without types and several numbers of one kind', async () => {
    expect(
      await textsOf(
        card('3.0', 'FN:A', 'EMAIL:1@x.example', 'EMAIL:2@x.example', 'EMAIL:3@x.example', 'EMAIL:4@x.example'),
      ),
    ).toEqual({ display_name: 'A', email1: '1@x.example', email2: '2@x.example', email3: '3@x.example' });
    expect(
      await textsOf(
        card('4.0', 'FN:A', 'TEL;TYPE=cell:1', 'TEL;TYPE="voice,work";PREF=1:2', 'TEL;TYPE=work:3', 'TEL:4'),
      ),
    ).toMatchObject({
      cellular_telephone1: '1',
      telephone_business1: '2',
      telephone_business2: '3',
      telephone_other: '4',
    });
    expect(await textsOf(card('3.0', 'EMAIL;TYPE=WORK:a@x', 'EMAIL;TYPE=HOME:b@x', 'EMAIL;TYPE=WORK:c@x'))).toEqual({
      email1: 'a@x',
      email2: 'b@x',
    });
  });

  it('have blocks of addresses whose lines end as in values or in parameters', async () => {
    const text = card('4.0', 'FN:A', 'ADR;TYPE=work;LABEL="1 Main St.\\nTown^nC:\\\\new":;;1 Main St.;Town;;;');
    const { contact } = readContact((await readAll(text))[0]!.card!);
    expect(contact.texts.addressBusiness).toBe('1 Main St.\nTown\nC:\\new');
    for (const version of ['3.0', '4.0'] as const)
      expect(await textsOf(await writeCard(overlayContact(undefined, contact), version))).toEqual(contact.texts);
  });

  it('in other charsets are read by their parameter, their mark, or as they look', async () => {
    const japanese = Buffer.concat([
      Buffer.from('BEGIN:VCARD\nVERSION:2.1\nFN;CHARSET=SHIFT_JIS:'),
      Buffer.from([0x8e, 0x52, 0x93, 0x63]),
      Buffer.from('\nEND:VCARD'),
    ]);
    expect(await textsOf(japanese)).toEqual({ display_name: '山田' });
    const quoted = card('2.1', 'FN;CHARSET=SHIFT_JIS;ENCODING=QUOTED-PRINTABLE:=8E=52=93=63');
    expect(await textsOf(quoted)).toEqual({ display_name: '山田' });
    expect(await textsOf(Buffer.from(card('3.0', 'FN:J\u00f6rg'), 'latin1'))).toEqual({ display_name: 'Jörg' });
    expect(await textsOf(Buffer.from(`\ufeff${card('3.0', 'FN:山田')}`, 'utf16le'))).toEqual({ display_name: '山田' });
    expect(await textsOf(Buffer.from(`\ufeff${card('3.0', 'FN:山田')}`))).toEqual({ display_name: '山田' });
    const [greek] = await readAll(
      Buffer.concat([Buffer.from('BEGIN:VCARD\nFN:'), Buffer.from([0xc1]), Buffer.from('\nEND:VCARD')]),
      'iso-8859-7',
    );
    expect(readContact(greek!.card!).contact.texts).toEqual({ display_name: 'Α' });
  });

  it('hold groups of people', async () => {
    const text = card(
      '4.0',
      'FN:List',
      'KIND:group',
      'MEMBER;DISPLAY-NAME="B, C":mailto:b@x.example',
      'MEMBER:urn:uuid:1',
    );
    const contact = await contactOf(text);
    expect(contact.members).toEqual([{ mail: 'b@x.example', displayName: 'B, C' }]);
    const [read] = await readAll(text);
    const written = await writeCard(
      overlayContact(read!.card, { ...contact, members: [{ mail: 'd@x.example' }] }),
      '3.0',
    );
    expect(written).toContain('X-ADDRESSBOOKSERVER-KIND:group');
    expect(written).toContain('urn:uuid:1');
    expect((await contactOf(written)).members).toEqual([{ mail: 'd@x.example' }]);
  });

  it('hold groups of people in the forms of older programs', async () => {
    const list = await contactOf(
      card('3.0', 'FN:List', 'X-OPEN-XCHANGE-CTYPE:dlist', 'EMAIL;TYPE=INTERNET:a@x.example', 'EMAIL:b@x.example'),
    );
    expect(list).toEqual({
      texts: { display_name: 'List' },
      isPrivate: false,
      members: [{ mail: 'a@x.example' }, { mail: 'b@x.example' }],
    });
    const person = card('3.0', 'FN:A', 'X-SVC-CTYPE:contact', 'EMAIL:a@x.example');
    expect(await contactOf(person)).toEqual({
      texts: { display_name: 'A', email1: 'a@x.example' },
      isPrivate: false,
    });
    const named = card('4.0', 'FN:L', 'KIND:group', 'MEMBER;X-SVC-FN=Bob:mailto:b@x.example');
    expect((await contactOf(named)).members).toEqual([{ mail: 'b@x.example', displayName: 'Bob' }]);
  });

  it('hold cards of agents and pictures', async () => {
    const text = card('2.1', 'FN:Boss', 'AGENT:', 'BEGIN:VCARD', 'VERSION:2.1', 'FN:Agent', 'END:VCARD', 'TITLE:Chief');
    expect(await textsOf(text)).toEqual({ display_name: 'Boss', position: 'Chief' });
    const png = Buffer.from('89504e470d0a1a0a', 'hex');
    for (const photo of [
      `PHOTO:data:image/png;base64,${png.toString('base64')}`,
      `PHOTO;ENCODING=b;TYPE=PNG:${png.toString('base64')}`,
    ]) {
      const contact = await contactOf(card('4.0', photo));
      expect(Buffer.from(contact.photo!.bytes)).toEqual(png);
      for (const version of ['3.0', '4.0'] as const)
        expect((await contactOf(await writeCard(overlayContact(undefined, contact), version))).photo).toEqual(
          contact.photo,
        );
    }
    expect(await contactOf(card('3.0', 'PHOTO;VALUE=URI:http://internal.example/x'))).not.toHaveProperty('photo');
  });

  it('hold pictures in percent notation, byte by byte', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452c3a9ff80', 'hex');
    const everyByte = [...png].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    const mixed = '%89PNG%0D%0A%1A%0A%00%00%00%0DIHDR%C3%A9%FF%80';
    for (const content of [everyByte, mixed]) {
      const contact = await contactOf(card('4.0', `PHOTO:data:image/png,${content}`));
      expect(Buffer.from(contact.photo!.bytes).toString('hex')).toBe(png.toString('hex'));
    }
  });

  it.each(['%89PNG%', '%89PNG%0', '%89PNG%zz'])(
    'leave out pictures in percent notation that is broken: %s',
    async (content) => {
      expect(await contactOf(card('4.0', `PHOTO:data:image/png,${content}`))).not.toHaveProperty('photo');
    },
  );
});

describe('files of cards', () => {
  it('tell each broken card by itself', async () => {
    const text = [
      'noise\r\n',
      card('3.0', 'FN:A'),
      card('9.9', 'FN:B'),
      'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:C\r\n',
      card('3.0', 'no property', 'FN:D', '=;:'),
      card('3.0'),
      card('3.0', `NOTE:${'x'.repeat(5_000_000)}`),
      'BEGIN:VCARD\nFN:E\nEND:VCARD',
    ].join('');
    const results = (await readAll(text)).map(({ card: read, error, warnings }) => [
      read ? readContact(read).contact.texts.display_name : error!.reason,
      warnings.map(({ code }) => code),
    ]);
    expect(results).toEqual([
      ['A', []],
      ['unknown-version', []],
      ['unclosed', []],
      ['D', ['malformed-line', 'malformed-line']],
      ['empty', []],
      ['too-large', []],
      ['E', ['missing-version']],
    ]);
    expect((await readAll('BEGIN:VCARD\nFN:A')).map(({ error }) => error!.reason)).toEqual(['unclosed']);
    expect(await readAll('')).toEqual([]);
  });

  it('are refused with more properties or text than one may have, which pictures are not', async () => {
    const reasonOf = async (...lines: string[]) => (await readAll(card('3.0', 'FN:A', ...lines)))[0]!.error?.reason;
    const members = (count: number) =>
      Array.from({ length: count }, (_none, index) => `MEMBER:mailto:a${index}@x.example`);
    const picture = 'A'.repeat(1_000_000);
    expect(await reasonOf(...members(5_000))).toBeUndefined();
    expect(await reasonOf(...members(6_100))).toBe('too-large');
    expect(await reasonOf(`NOTE:${'x'.repeat(700_000)}`)).toBe('too-large');
    expect(await reasonOf(`NOTE:${'x\r\n '.repeat(700_000)}`)).toBe('too-large');
    expect(await reasonOf('AGENT:', 'BEGIN:VCARD', `NOTE:${'x'.repeat(700_000)}`, 'END:VCARD')).toBe('too-large');
    expect(await reasonOf(`PHOTO;ENCODING=b;TYPE=PNG:${picture}`)).toBeUndefined();
    expect(
      await reasonOf(`item1.PHOTO:data:image/png;base64,${picture.replaceAll(/.{70}/g, '$&\r\n ')}`),
    ).toBeUndefined();
  });

  it('leave out days that are none, with a warning', async () => {
    const [read] = await readAll(card('3.0', 'FN:A', 'BDAY:19701341', 'ANNIVERSARY:soon'));
    const { contact, warnings } = readContact(read!.card!);
    expect(contact).not.toHaveProperty('birthday');
    expect(warnings.map(({ field }) => field)).toEqual(['birthday', 'anniversary']);
  });
});

describe('a card with a large picture', () => {
  it('is written in parts between which others are served', async () => {
    const picture = 'iVBORw0KGgoA'.repeat(100_000);
    const [read] = await readAll(card('3.0', 'FN:A', `PHOTO;ENCODING=b;TYPE=PNG:${picture}`));
    const paused = jest.fn();
    const written = await writeCard(read!.card!, '4.0', paused);
    // A line has 75 octets, and a part 2,000 lines.
    expect(paused.mock.calls.length).toBeGreaterThan(picture.length / 150_000);
    expect(Math.max(...written.split('\r\n').map((line) => line.length))).toBe(75);
    expect(written.replaceAll('\r\n ', '')).toContain(`\r\nPHOTO:data:image/png;base64,${picture}\r\nEND:VCARD\r\n`);
  });

  it.each([74, 75, 76, 75 + 74 * 1_999 - 1, 75 + 74 * 1_999, 75 + 74 * 1_999 + 1])(
    'has no line of nothing, however long: %s octets',
    async (octets) => {
      const value = 'x'.repeat(octets - 'NOTE:'.length);
      const card: Card = { version: '4.0', properties: [{ name: 'NOTE', parameters: {}, value }] };
      const lines = (await writeCard(card, '4.0')).split('\r\n');
      expect(lines.slice(3, -2).join('').replaceAll(' ', '')).toBe(`NOTE:${value}`);
      expect(lines.slice(3, -2).filter((line) => line.trim() === '')).toEqual([]);
    },
  );
});

describe('stored cards', () => {
  const store = async (text: string): Promise<Card> => {
    const [read] = await readAll(text);
    const [stored] = await readAll(await writeCard(read!.card!, '4.0'));
    return stored!.card!;
  };

  it('give the older version its preferences and numbers back', async () => {
    const lines = [
      'FN:A',
      'N:;;;;',
      'EMAIL;TYPE=INTERNET,HOME,pref:a@x.example',
      'TEL;TYPE=CELL,pref:+49 1',
      'URL;TYPE=pref:https://x.example',
    ];
    const text = await writeCard(await store(card('3.0', ...lines)), '3.0');
    expect(text).toBe(card('3.0', ...lines));
    const addresses = card(
      '4.0',
      'FN:A',
      'TEL;VALUE=uri;TYPE="voice,home";PREF=1:tel:+1-555-0100;ext=5',
      'TEL;PREF=2:2',
    );
    expect(await writeCard(await store(addresses), '3.0')).toBe(
      card('3.0', 'N:;;;;', 'FN:A', 'TEL;TYPE=voice,home,pref:+1-555-0100;ext=5', 'TEL;PREF=2:2'),
    );
  });

  it('are written in version 2.1 as its programs read them', async () => {
    const stored = await store(
      card(
        '3.0',
        ...['FN:Jörg', 'N:Falk\\, A;Jörg;;;', 'ORG:A & B\\, C;D\\;E', 'NOTE:1\\n2=', 'TEL;TYPE=CELL,pref:+49 1'],
        'ADR;TYPE=WORK;LABEL="S^nT":;;S;T;;;',
        'PHOTO;TYPE=JPEG;ENCODING=b:/9j/4AAQ',
      ),
    );
    const text = await writeCard(stored, '2.1');
    expect(text).toBe(
      card(
        '2.1',
        ...['FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=B6rg'],
        ...['N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Falk, A;J=C3=B6rg;;;', 'ORG:A & B, C;D\\;E'],
        ...['NOTE;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:1=0D=0A2=3D', 'TEL;CELL;pref:+49 1'],
        ...['LABEL;WORK;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:S=0D=0AT', 'ADR;WORK:;;S;T;;;'],
        ...['PHOTO;JPEG;ENCODING=BASE64:/9j/4AAQ', ''],
      ),
    );
    expect(await contactOf(text)).toEqual(readContact(stored).contact);
  });

  it('have numbers that are addresses, which stay so until they change', async () => {
    const stored = await store(card('4.0', 'FN:A', 'TEL;VALUE=uri;TYPE=cell:tel:+33-01', 'TEL;TYPE=work:tel:2'));
    const { contact } = readContact(stored);
    expect(contact.texts).toMatchObject({ cellular_telephone1: '+33-01', telephone_business1: 'tel:2' });
    const write = (texts: Record<string, string>) => writeCard(overlayContact(stored, { ...contact, texts }), '4.0');
    expect(await write(contact.texts)).toContain('TEL;TYPE=cell;VALUE=URI:tel:+33-01\r\n');
    expect(await write({ ...contact.texts, cellular_telephone1: '+33 2' })).toContain('TEL;TYPE=cell:+33 2\r\n');
  });
});

describe('changes of a stored card', () => {
  const overlay = async (text: string, change: Record<string, string | undefined>): Promise<string[]> => {
    const [read] = await readAll(text);
    const { contact } = readContact(read!.card!);
    const texts = Object.fromEntries(
      Object.entries({ ...contact.texts, ...change }).flatMap(([field, value]) =>
        value === undefined ? [] : [[field, value]],
      ),
    );
    return (await writeCard(overlayContact(read!.card, { ...contact, texts }), '3.0')).split('\r\n');
  };

  it('touch nothing but their property', async () => {
    const text = card(
      '3.0',
      'FN:A',
      'N:L;F;;;',
      'item1.EMAIL;TYPE=WORK;X-SPECIAL=1:a@x.example',
      'EMAIL;TYPE=HOME:b@x.example',
      'EMAIL;TYPE=WORK:unknown@x.example',
      'GEO:1.2;3.4',
      'X-FOO;A=b:c\\,d',
    );
    expect(await overlay(text, {})).toEqual(text.split('\r\n'));
    expect(await overlay(text, { email1: 'new@x.example' })).toContain(
      'item1.EMAIL;TYPE=WORK;X-SPECIAL=1:new@x.example',
    );
    const cleared = await overlay(text, { email1: undefined });
    expect(cleared.filter((line) => line.includes('EMAIL'))).toEqual([
      'EMAIL;TYPE=HOME:b@x.example',
      'EMAIL;TYPE=WORK;X-SVC-SURPLUS=1:unknown@x.example',
    ]);
    expect(await textsOf(cleared.join('\r\n'))).not.toHaveProperty('email1');
    expect(cleared).toEqual(expect.arrayContaining(['GEO:1.2;3.4', 'X-FOO;A=b:c\\,d']));
    expect(await overlay(text, { first_name: 'Changed; name' })).toContain('N:L;Changed\\; name;;;');
  });

  it('keep what they hold beyond the fields without filling those that are emptied', async () => {
    const numbers = (name: string, count: number): string[] =>
      Array.from({ length: count }, (_none, at) => `${name}:${at + 1}`);
    const text = card('3.0', ...['FN:A', ...numbers('EMAIL', 4), ...numbers('TEL;TYPE=CELL', 3), ...numbers('URL', 2)]);
    const before = await textsOf(text);
    for (const field of ['email1', 'email2', 'cellular_telephone1', 'cellular_telephone2', 'url']) {
      const lines = (await overlay(text, { [field]: undefined })).join('\r\n');
      const { [field]: _emptied, ...others } = before;
      expect(await textsOf(lines)).toEqual(others);
      expect(lines).toMatch(/^EMAIL.*:4\r\n[^]*CELL.*:3\r\n[^]*URL.*:2\r$/m);
    }
  });

  it('name the types of what would be read as another field', async () => {
    const text = card('3.0', 'FN:A', 'EMAIL:1@x.example', 'EMAIL:2@x.example', 'EMAIL:3@x.example');
    const lines = await overlay(text, { email1: undefined });
    expect(await textsOf(lines.join('\r\n'))).toEqual({
      display_name: 'A',
      email2: '2@x.example',
      email3: '3@x.example',
    });
  });
});
