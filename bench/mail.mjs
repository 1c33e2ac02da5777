// node bench/mail.mjs: lists of a large mailbox and parts of large mails beside the least client of the same Dovecot. See README.md.
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import { startMailSystem } from './lib/mail-servers.mjs';
import { fillMailbox, fillWithFiles } from './lib/mailbox-files.mjs';
import { startMinimum } from './lib/minimum.mjs';
import { RawImap } from './lib/raw-protocols.mjs';
import { requireBuild, runBench, servers } from './lib/system.mjs';
import { Report } from './lib/turns.mjs';

/** Least shares of the time of the raw client; most bytes that a mail with a large file takes from the server. */
const GOALS = { byDate: 1, sorted: 3, conversations: 3, nextPage: 3, unseen: 1, cold: 1 / 1.5, readKb: 100 };
const LOGIN = 'ann';
const COLUMNS = '600,601,602,603,604,607,608,609,610,611,651,652';
const ITEMS = '(UID FLAGS INTERNALDATE RFC822.SIZE ENVELOPE BODYSTRUCTURE)';
const PAGE = 50;
const CONVERSATIONS = 30;
/** Pages that are asked for in turn. */
const PAGES = 10;
const LARGE = 'Large';
const FILES = 'Files';
const [IN_LARGE, IN_FILES] = [LARGE, FILES].map((name) => `default0/${name}`);

/** Ids of the last conversations of a THREAD answer: that of the newest mail is the last one. */
function lastConversations(said, count) {
  const text = said.toString('latin1', '* THREAD '.length, said.indexOf('\r\n'));
  let depth = 0;
  let begin = text.length;
  for (let found = 0; begin > 0 && found < count;) {
    const sign = text[--begin];
    if (sign === ')') depth++;
    else if (sign === '(' && --depth === 0) found++;
  }
  return text.slice(begin).match(/\d+/g) ?? [];
}

const sorted = (ids) => ids.map(Number).sort((left, right) => left - right);

async function main() {
  const { values } = parseArgs({
    options: {
      mails: { type: 'string', default: '100000' },
      /** Sizes of the mail that is read, and of the file whose first bytes are waited for. */
      'mail-megabytes': { type: 'string', default: '20' },
      'file-megabytes': { type: 'string', default: '30' },
      /** First pages without a connection; each is asked for by another user. */
      cold: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '8' },
      json: { type: 'string' },
      /** Fail when a goal is missed. */
      check: { type: 'boolean', default: false },
    },
  });
  const mails = Number(values.mails);
  const cold = Number(values.cold);
  requireBuild();
  const environment = await servers();
  // Users of one mailbox each have connections and orders of their own.
  const strangers = Array.from({ length: cold }, (_each, index) => `cold${index}`);
  const users = Object.fromEntries(['ann', 'counted', ...strangers].map((name) => [name, LOGIN]));
  const { clients, dovecot, link, ca } = await startMailSystem(environment, { users, counted: ['counted'] });
  console.log(`mail: writing ${mails} …`);
  await fillMailbox(dovecot.homes, LOGIN, LARGE, mails);
  await fillWithFiles(
    dovecot.homes,
    LOGIN,
    FILES,
    ['mail', 'file'].map((kind) => Number(values[`${kind}-megabytes`])),
  );
  const open = async (folder) => {
    const raw = await RawImap.open({ port: dovecot.imaps, ca, login: LOGIN });
    await raw.ask(`EXAMINE "${folder}"`);
    return raw;
  };
  const raw = await open(LARGE);
  const pageOf = async (client, key, from) => {
    const ids = (await client.sort(key)).slice(from, from + PAGE);
    await client.ask(`UID FETCH ${ids.join(',')} ${ITEMS}`);
    return ids;
  };
  const threads = async () => {
    const ids = lastConversations(await raw.ask('UID THREAD REFS UTF-8 ALL'), CONVERSATIONS);
    await raw.ask(`UID FETCH ${ids.join(',')} ${ITEMS}`);
    return ids;
  };
  // Dovecot reads each file once, and then never again.
  const rawIds = {};
  for (const key of ['REVERSE ARRIVAL', 'SUBJECT', 'FROM']) rawIds[key] = await pageOf(raw, key, 0);
  rawIds.threads = await threads();

  const ann = clients.ann;
  const list = (client, sort, order, from = 0) => {
    const window = { left_hand_limit: from, right_hand_limit: from + PAGE };
    return client.answer('GET', 'mail', { action: 'all', folder: IN_LARGE, columns: COLUMNS, sort, order, ...window });
  };
  const conversations = () =>
    ann.answer('GET', 'mail', {
      ...{ action: 'threadedAll', folder: IN_LARGE, columns: COLUMNS, sort: 610, order: 'desc' },
      ...{ includeSent: false, limit: `0,${CONVERSATIONS}` },
    });
  const examine = () => ann.answer('GET', 'mail', { action: 'examine', folder: IN_LARGE });
  const idsOf = async (answer) => JSON.parse(await answer).data.map(([id]) => id);
  assert.deepEqual(await idsOf(list(ann, 610, 'desc')), rawIds['REVERSE ARRIVAL'], 'pages by date differ');
  assert.deepEqual(await idsOf(list(ann, 607, 'asc')), rawIds['SUBJECT'], 'pages by subject differ');
  assert.equal((await idsOf(list(ann, 603, 'asc'))).length, rawIds['FROM'].length, 'pages by sender differ');
  const ofThreads = JSON.parse(await conversations()).data.flatMap(({ thread }) => thread.map(({ id }) => id));
  assert.deepEqual(sorted(ofThreads), sorted(rawIds.threads), 'conversations differ');
  const unread = Math.ceil(mails / 10);
  assert.equal(Number(JSON.parse(await examine()).data.unread), unread, 'numbers of unread mails differ');

  const report = new Report(values);
  const title = (what) => `${what} of ${mails}`;
  const first = (sort, order, key) => [() => list(ann, sort, order), () => pageOf(raw, key, 0)];
  const begin = (turn) => PAGE * (1 + (turn % PAGES));
  await report.compare(title('first page by date'), GOALS.byDate, first(610, 'desc', 'REVERSE ARRIVAL'));
  await report.compare(title('first page by subject'), GOALS.sorted, first(607, 'asc', 'SUBJECT'));
  await report.compare(title('first page by sender'), GOALS.sorted, first(603, 'asc', 'FROM'));
  await report.compare(title(`first ${CONVERSATIONS} conversations`), GOALS.conversations, [conversations, threads]);
  await report.compare(title('next page by date'), GOALS.nextPage, [
    (turn) => list(ann, 610, 'desc', begin(turn)),
    (turn) => pageOf(raw, 'REVERSE ARRIVAL', begin(turn)),
  ]);
  const files = await open(FILES);
  const [mailId, fileId] = await files.sort('ARRIVAL');
  const status = `STATUS "${LARGE}" (MESSAGES UNSEEN UIDNEXT UIDVALIDITY)`;
  const firstBytes = `UID FETCH ${fileId} BODY.PEEK[2]<0.4096>`;
  const questions = [
    { name: 'unread', folder: LARGE, command: status },
    { name: 'first-bytes', folder: FILES, command: firstBytes },
  ];
  const variables = {
    IMAP_PORT: String(dovecot.imaps),
    IMAP_LOGIN: LOGIN,
    CA: ca,
    QUESTIONS: JSON.stringify(questions),
  };
  const ask = await startMinimum(
    { ...environment, ...variables },
    { service: 'mail.mjs', headers: ann.headers, known: { folder: LARGE } },
  );
  assert.match(String(await ask('GET', 'unread')), new RegExp(`UNSEEN ${unread}\\b`));
  assert.ok((await ask('GET', 'first-bytes')).length > 4_096);
  await report.compare(title('number of unread mails'), GOALS.unseen, [examine, () => raw.ask(status)]);
  await report.compare('the same, beside the composed minimum', undefined, [examine, () => ask('GET', 'unread')]);
  await report.compare(
    title('first page without a connection'),
    GOALS.cold,
    [
      (turn) => list(clients[strangers[turn]], 610, 'desc'),
      async () => {
        const fresh = await open(LARGE);
        await pageOf(fresh, 'REVERSE ARRIVAL', 0);
        fresh.close();
      },
    ],
    { warmTurns: 0, mostTurns: cold },
  );

  const read = (id) => clients.counted.call('GET', 'mail', { action: 'get', folder: IN_FILES, id, unseen: true });
  // Connected before, so that only what the mail takes is counted.
  await clients.counted.call('GET', 'mail', { action: 'all', folder: IN_FILES, columns: '600' });
  const before = link.received;
  const { data } = await read(mailId);
  assert.match(data.attachments[0].content, /A short text/);
  report.note(`read from the server of a mail of ${values['mail-megabytes']} MB`, {
    ...{ value: (link.received - before) / 1000, limit: GOALS.readKb, unit: 'kB' },
  });
  const part = { action: 'attachment', folder: IN_FILES, id: fileId, attachment: 2, save: 1 };
  const timeBegin = () => ann.timeFirstBytes('GET', 'mail', part);
  const begins = `first bytes of a file of ${values['file-megabytes']} MB`;
  await report.compare(begins, undefined, [timeBegin, () => files.ask(firstBytes)]);
  await report.compare('the same, beside the composed minimum', undefined, [
    timeBegin,
    () => ask('GET', 'first-bytes'),
  ]);
  raw.close();
  files.close();
  report.finish();
}

await runBench(main, { minutes: 4 });
