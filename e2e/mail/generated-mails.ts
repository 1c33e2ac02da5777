/** A mail that a test made. */
export interface GeneratedMail {
  readonly source: Buffer;
  /** Its fault; undefined for a mail that every reader understands in the same way. */
  readonly damage?: string;
}

/** Numbers that are the same for the same seed: a mail that fails can be made again. */
class Dice {
  private state: number;

  constructor(seed: number) {
    this.state = (seed * 0x9e3779b1 + 0x7f4a7c15) >>> 0;
  }

  /** A whole number below `end`. */
  below(end: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }
}

const WORDS = [
  'plans',
  'Grüße',
  'crème',
  'a=b',
  '.',
  'two  spaces',
  'naïve',
  '>quoted',
  'From here',
  '50%',
  'x'.repeat(90),
];
const NAMES = ['Jane Doe', 'Jané', '', 'O\'Neil "Bob" X', 'Müller GmbH'];
const FILES = ['a.txt', 'two words.pdf', 'Übersicht.ods', 'semi;colon.bin', "quote'd.png", `${'long'.repeat(30)}.doc`];

/** A charset that writes all of a text, or undefined. */
const encodings = (text: string): [charset: string, bytes: Buffer][] => [
  ['utf-8', Buffer.from(text)],
  ...([...text].every((each) => each.charCodeAt(0) < 256)
    ? ([
        ['iso-8859-1', Buffer.from(text, 'latin1')],
        ['windows-1252', Buffer.from(text, 'latin1')],
      ] as [string, Buffer][])
    : []),
];

const escapeBytes = (bytes: Buffer, mustEscape: (byte: number) => boolean): string =>
  [...bytes]
    .map((byte) =>
      mustEscape(byte) ? `=${byte.toString(16).toUpperCase().padStart(2, '0')}` : String.fromCharCode(byte),
    )
    .join('');

function toQuotedPrintable(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .split('\r\n')
    .map((line) => {
      const escaped = escapeBytes(Buffer.from(line, 'latin1'), (byte) => byte > 126 || byte < 32 || byte === 61);
      const safe = escaped.replace(/ $/, '=20');
      return (safe.match(/(?:=[0-9A-F]{2}|[^=]){1,60}/g) ?? ['']).join('=\r\n');
    })
    .join('\r\n');
}

const toBase64 = (bytes: Buffer): string => bytes.toString('base64').replace(/(.{76})(?=.)/g, '$1\r\n');

/** A text as a header has it. */
function toWords(dice: Dice, text: string): string {
  if (/^[\x20-\x7e]*$/.test(text) && !text.includes('=?') && text.length < 60) return text;
  // Characters whole within each word.
  const pieces = text.match(/.{1,10}/gsu) ?? [];
  return pieces
    .map((piece) => {
      const [charset, bytes] = dice.pick(encodings(piece));
      if (dice.below(2) === 0) return `=?${charset}?B?${bytes.toString('base64')}?=`;
      const isPlain = (byte: number) => /[A-Za-z0-9]/.test(String.fromCharCode(byte));
      return `=?${charset}?Q?${escapeBytes(bytes, (byte) => !isPlain(byte))}?=`;
    })
    .join('\r\n ');
}

function toAddress(dice: Dice): string {
  const name = dice.pick(NAMES);
  const address = `${dice.pick(['jane', 'bob+tag', 'o.neil'])}@${dice.pick(['x.example', 'mail.far.example'])}`;
  if (name === '') return dice.pick([address, `<${address}>`]);
  const isPlain = /^[\x20-\x7e]*$/.test(name);
  return `${isPlain ? `"${name.replace(/["\\]/g, '\\$&')}"` : toWords(dice, name)} <${address}>`;
}

const textOf = (dice: Dice): string =>
  Array.from({ length: 1 + dice.below(6) }, () =>
    Array.from({ length: 1 + dice.below(5) }, () => dice.pick(WORDS)).join(' '),
  ).join('\r\n');

type Entity = string;

function textEntity(dice: Dice, subtype: 'plain' | 'html'): Entity {
  const text = textOf(dice);
  const content = subtype === 'plain' ? text : `<p>${text.replace(/[<>&]/g, (each) => `&#${each.charCodeAt(0)};`)}</p>`;
  const [charset, bytes] = dice.pick(encodings(content));
  const [encoding, written] = dice.pick([
    ['8bit', bytes.toString('latin1')],
    ['quoted-printable', toQuotedPrintable(bytes)],
    ['base64', toBase64(bytes)],
  ] as const);
  return `Content-Type: text/${subtype}; charset=${dice.pick([charset, `"${charset}"`, charset.toUpperCase()])}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${written}`;
}

function parameterOf(dice: Dice, name: string, value: string): string {
  const isPlain = /^[\x20-\x7e]*$/.test(value);
  if (isPlain && value.length < 60) return `${name}="${value}"`;
  const encoded = [...Buffer.from(value)]
    .map((byte) => {
      const sign = String.fromCharCode(byte);
      return /[A-Za-z0-9.]/.test(sign) ? sign : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
  if (dice.below(2) === 0) return `${name}*=utf-8''${encoded}`;
  const pieces = encoded.match(/(?:%[0-9A-F]{2}|[^%]){1,30}/g) ?? [];
  return pieces.map((piece, at) => `${name}*${at}*=${at === 0 ? "utf-8''" : ''}${piece}`).join(';\r\n ');
}

function fileEntity(dice: Dice): Entity {
  const bytes = Buffer.from(Array.from({ length: dice.below(400) }, () => dice.below(256)));
  const type = dice.pick(['application/pdf', 'application/octet-stream', 'image/png', 'application/zip']);
  return `Content-Type: ${type}\r\nContent-Disposition: attachment;\r\n ${parameterOf(dice, 'filename', dice.pick(FILES))}\r\nContent-Transfer-Encoding: base64\r\n\r\n${toBase64(bytes)}`;
}

function multipart(dice: Dice, subtype: string, parts: readonly Entity[]): Entity {
  const boundary = `${dice.pick(['b', '=_', '----=_Part', "b'()+_,-./:=?"])}${dice.below(1e9)}`;
  const body = parts.map((each) => `--${boundary}\r\n${each}\r\n`).join('');
  return `Content-Type: multipart/${subtype};\r\n\tboundary="${boundary}"\r\n\r\n${dice.pick(['', 'This is a mail in parts.\r\n'])}${body}--${boundary}--\r\n`;
}

function bodyOf(dice: Dice): Entity {
  const text = () => textEntity(dice, 'plain');
  const alternative = () => multipart(dice, 'alternative', [text(), textEntity(dice, 'html')]);
  const files = () => Array.from({ length: 1 + dice.below(3) }, () => fileEntity(dice));
  switch (dice.below(7)) {
    case 0:
      return text();
    case 1:
      return textEntity(dice, 'html');
    case 2:
      return alternative();
    case 3:
      return multipart(dice, 'mixed', [alternative(), ...files()]);
    case 4: {
      const nested = `Content-Type: message/rfc822\r\n\r\n${headersOf(dice)}${text()}`;
      return multipart(dice, 'mixed', [text(), nested]);
    }
    default:
      return multipart(dice, 'mixed', [text(), ...files()]);
  }
}

function headersOf(dice: Dice): string {
  const subject = Array.from({ length: dice.below(4) }, () => dice.pick(WORDS)).join(' ');
  const to = Array.from({ length: 1 + dice.below(3) }, () => toAddress(dice));
  const lines = [
    `From: ${toAddress(dice)}`,
    `To: ${to.join(',\r\n ')}`,
    `Subject: ${toWords(dice, subject.trim())}`,
    `Date: Mon, 0${1 + dice.below(9)} Jan 2024 10:00:00 +0000`,
    `Message-ID: <${dice.below(1e9)}@x.example>`,
    'MIME-Version: 1.0',
  ];
  return `${lines.join('\r\n')}\r\n`;
}

const soundMail = (dice: Dice): string => `${headersOf(dice)}${bodyOf(dice)}`;

/** Ways in which mails are broken, or merely odd. */
const DAMAGES: Readonly<Record<string, (mail: string, dice: Dice) => string>> = {
  'cut off': (mail, dice) => mail.slice(0, 1 + dice.below(mail.length)),
  'cut off at its beginning': (mail, dice) => mail.slice(dice.below(mail.length)),
  'line ends of Unix': (mail) => mail.replaceAll('\r\n', '\n'),
  'line ends of old Macs': (mail) => mail.replaceAll('\r\n', '\r'),
  'no last boundary': (mail) => mail.replace(/--\r\n$/, ''),
  'a boundary that never comes': (mail) => mail.replace(/boundary="[^"]*"/, 'boundary="never"'),
  'no boundary': (mail) => mail.replace(/;\r\n\tboundary="[^"]*"/, ''),
  'an empty boundary': (mail) => mail.replace(/boundary="[^"]*"/, 'boundary=""'),
  'a header without colon': (mail) => mail.replace('MIME-Version: 1.0', 'this is no header'),
  'headers twice': (mail) => `${mail.slice(0, mail.indexOf('MIME-Version'))}${mail}`,
  'a type that is none': (mail, dice) =>
    mail.replace(
      /Content-Type: [^\r]*/,
      `Content-Type: ${dice.pick(['', ';;;', 'text', '/', 'text/plain/x; =', '"'])}`,
    ),
  'an unknown encoding': (mail) => mail.replace(/Content-Transfer-Encoding: .*/g, 'Content-Transfer-Encoding: x-rot13'),
  'the wrong encoding': (mail, dice) =>
    mail.replace(/Transfer-Encoding: .*/g, `Transfer-Encoding: ${dice.pick(['base64', 'quoted-printable', 'binary'])}`),
  'an unknown charset': (mail, dice) =>
    mail.replace(
      /charset=[^\r;]*/gi,
      `charset=${dice.pick(['x-klingon', '', '"', 'utf-16', 'utf-7', 'iso-2022-jp', 'utf-8;'])}`,
    ),
  'bytes in headers': (mail) => mail.replace(/Subject: /, 'Subject: \xe4\xf6\xfc \xff\xfe '),
  'broken words in headers': (mail) => mail.replace(/Subject: /, 'Subject: =?utf-8?B?!!!?= =?x?Q?=GG?= =?utf-8?Q?='),
  'broken addresses': (mail) => mail.replace(/From: [^\r]*/, 'From: <<<>>>, a@@b, "open, group: x, y@z;;'),
  'a broken date': (mail) => mail.replace(/Date: [^\r]*/, 'Date: the day after'),
  'no header': (mail) => mail.slice(mail.indexOf('\r\n\r\n') + 4) || 'x',
  'no body': (mail) => mail.slice(0, mail.indexOf('\r\n\r\n') + 2),
  'a long line': (mail) => mail.replace('MIME-Version', `X-Long: ${'x'.repeat(200_000)}\r\nMIME-Version`),
  'many headers': (mail) => `${'X-More: 1\r\n'.repeat(2_000)}${mail}`,
  'many parts': (mail) =>
    `${mail.slice(0, mail.indexOf('Content-Type'))}Content-Type: multipart/mixed; boundary=m\r\n\r\n${'--m\r\n\r\nx\r\n'.repeat(1_000)}--m--`,
  'parts within parts': (mail) => {
    const levels = Array.from({ length: 150 }, (_each, level) => level);
    return `${mail.slice(0, mail.indexOf('Content-Type'))}${levels.map((level) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`).join('')}\r\nx`;
  },
  'mails within mails': (mail) =>
    `${mail.slice(0, mail.indexOf('Content-Type'))}${'Content-Type: message/rfc822\r\n\r\nSubject: inner\r\n'.repeat(80)}\r\nx`,
  'control characters': (mail) => mail.replace(/\r\n\r\n/, '\r\n\r\n\x01\x07\x1b[31m\x7f'),
  'broken names of files': (mail) =>
    mail.replace(/filename[^\r]*/, 'filename*=utf-8\'\'%zz%; filename*1=x; filename="a\\"/../../b'),
  'data of Outlook that is none': (mail) =>
    mail.replace(/Content-Type: application\/[a-z-]*/, 'Content-Type: application/ms-tnef; name=winmail.dat'),
  noise: (mail, dice) => {
    const bytes = Buffer.from(mail, 'latin1');
    for (let count = 0; count < 20; count++) bytes[dice.below(bytes.length)] = 1 + dice.below(255);
    return bytes.toString('latin1');
  },
};
const DAMAGE_NAMES = Object.keys(DAMAGES);

/** Makes the mail of a number: half of them sound, the others damaged in turn in every way. */
export function generateMail(number: number): GeneratedMail {
  const dice = new Dice(number);
  const sound = soundMail(dice);
  if (number % 2 === 0) return { source: Buffer.from(sound, 'latin1') };
  const damage = DAMAGE_NAMES[((number - 1) / 2) % DAMAGE_NAMES.length]!;
  return { source: Buffer.from(DAMAGES[damage]!(sound, dice), 'latin1'), damage };
}
