import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { inParallel } from './client.mjs';

const FIRST_MS = Date.UTC(2020, 0, 1);
const MINUTE_MS = 60_000;
/** Mails of one conversation. */
const CONVERSATION = 4;
/** One mail of so many is unread. */
const UNREAD = 10;
const PEOPLE = 500;
const WORDS = 'project budget review planning customer design release status sync roadmap interview audit'.split(' ');
const LINE = 76;

const word = (number) => WORDS[number % WORDS.length];

/** The source of one of many mails: conversations of four, one after the other. */
function sourceOf(number) {
  const first = number - (number % CONVERSATION);
  const person = (number * 7) % PEOPLE;
  const answers = number === first ? [] : [`References: <bench-${first}@far.example>`];
  const subject = `${word(first)} ${word(first >> 4)} ${(first * 7_919) % 100_003}`;
  return [
    `From: ${word(person + 3)} ${person} <person${person}@far.example>`,
    'To: Ann <ann@mail.test>',
    `Subject: ${answers.length > 0 ? 'Re: ' : ''}${subject}`,
    `Date: ${new Date(FIRST_MS + number * MINUTE_MS).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <bench-${number}@far.example>`,
    ...answers,
    'Content-Type: text/plain; charset=utf-8',
    '',
    `Hello, this is mail ${number} about ${subject}.`,
    '',
  ].join('\r\n');
}

/** The source of a mail with a short text and one large file. */
function largeSource(number, megabytes) {
  const file = randomBytes(megabytes * 2 ** 20).toString('base64');
  return [
    'From: Zoe <zoe@far.example>',
    'To: Ann <ann@mail.test>',
    `Subject: ${megabytes} MB`,
    `Date: ${new Date(FIRST_MS + number * MINUTE_MS).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <large-${number}@far.example>`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=bench',
    '',
    '--bench',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'A short text.',
    '--bench',
    'Content-Type: application/octet-stream; name=large.bin',
    'Content-Disposition: attachment; filename=large.bin',
    'Content-Transfer-Encoding: base64',
    '',
    ...(file.match(new RegExp(`.{1,${LINE}}`, 'g')) ?? []),
    '--bench--',
    '',
  ].join('\r\n');
}

/** Makes folders of a maildir that belong to whom those above them belong to. */
function maildir(homes, login, folder) {
  const { uid, gid } = fs.statSync(homes);
  let made = homes;
  for (const name of [login, 'mails', folder]) {
    made = path.join(made, name);
    fs.mkdirSync(made, { recursive: true, mode: 0o700 });
    fs.chownSync(made, uid, gid);
  }
  for (const name of ['cur', 'new', 'tmp']) {
    fs.mkdirSync(path.join(made, name), { recursive: true, mode: 0o700 });
    fs.chownSync(path.join(made, name), uid, gid);
  }
  return path.join(made, 'cur');
}

/** Writes mails as files: to hand each over would take an hour. They arrived one a minute, in the order of their numbers. */
const writeMails = (cur, count, source, isSeen) =>
  inParallel(Array.from({ length: count }), 8, async (_each, number) => {
    const text = source(number);
    const seconds = (FIRST_MS + number * MINUTE_MS) / 1000;
    const name = `${seconds}.M${number}P1.bench,S=${text.length},W=${text.length}:2,${isSeen(number) ? 'S' : ''}`;
    await fs.promises.writeFile(path.join(cur, name), text, { mode: 0o644 });
    await fs.promises.utimes(path.join(cur, name), seconds, seconds);
  });

/** Fills a folder with mails; one of ten is unread. */
export const fillMailbox = (homes, login, folder, count) =>
  writeMails(maildir(homes, login, `.${folder}`), count, sourceOf, (number) => number % UNREAD !== 0);

/** Fills a folder with mails of a short text and a file each, in the order of the sizes. */
export const fillWithFiles = (homes, login, folder, sizes) =>
  writeMails(
    maildir(homes, login, `.${folder}`),
    sizes.length,
    (number) => largeSource(number, sizes[number]),
    () => true,
  );
