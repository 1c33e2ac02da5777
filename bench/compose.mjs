// node bench/compose.mjs: what writing, sending and sorting of mails cost beside the composed minimum with one statement, with
// nodemailer and with ManageSieve. See README.md.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { ImapFlow } from 'imapflow';
import { createTransport } from 'nodemailer';
import MailComposer from 'nodemailer/lib/mail-composer';
import { connectTo } from './lib/copy-rows.mjs';
import { MAIL_HOST, MAIL_PASSWORD, startMailSystem } from './lib/mail-servers.mjs';
import { startMinimum } from './lib/minimum.mjs';
import { readActiveScript } from './lib/raw-protocols.mjs';
import { requireBuild, runBench, servers } from './lib/system.mjs';
import { Report } from './lib/turns.mjs';

/** Least shares of the time of the minimum. */
const GOALS = { write: 0.5, send: 0.8, rules: 0.7 };
const LOGIN = 'ann';
/** As many sends before the measured ones. */
const WARM_SENDS = 2;

async function main() {
  const { values } = parseArgs({
    options: {
      kilobytes: { type: 'string', default: '50' },
      megabytes: { type: 'string', default: '5' },
      /** Most mails that are sent. */
      sends: { type: 'string', default: '15' },
      rules: { type: 'string', default: '100' },
      only: { type: 'string', default: 'write,send,rules' },
      /** Folder for CPU profiles of every process. */
      profile: { type: 'string' },
      seconds: { type: 'string', default: '15' },
      json: { type: 'string' },
      /** Fail when a goal is missed. */
      check: { type: 'boolean', default: false },
    },
  });
  requireBuild();
  const wanted = values.only.split(',');
  const nodeOptions = values.profile ? ['--cpu-prof', `--cpu-prof-dir=${values.profile}`] : [];
  const environment = await servers();
  const { clients, dovecot, sink, ca } = await startMailSystem(environment, {
    users: { ann: LOGIN },
    more: ['mail-filter'],
    properties: { 'com.example.mail.compose.maxSpacesPerUser': '200' },
    nodeOptions,
  });
  const { ann } = clients;
  const report = new Report(values);

  const openSpace = async () => (await ann.call('POST', 'mail/compose', {}, undefined)).data.id;
  const [own, other] = [await openSpace(), await openSpace()];
  const variables = { ...environment, SIEVE_PORT: String(dovecot.sieve), SIEVE_LOGIN: LOGIN, CA: ca };
  const known = { contextId: ann.contextId, userId: ann.userId, id: other };
  const ask = await startMinimum(variables, { service: 'compose.mjs', headers: ann.headers, known, nodeOptions });
  const askMinimum = async (...question) => JSON.parse(await ask(...question));
  const database = await connectTo(environment, 'mail');
  const text = `<p>${'a text that is being written '.repeat(40)}</p>`;
  const contentOf = (turn) => text.repeat(Math.ceil((Number(values.kilobytes) * 1_000) / text.length)) + turn;
  const write = (turn) => ann.call('PUT', `mail/compose/${own}`, {}, { content: contentOf(turn) });
  const writeAtLeast = (turn) => askMinimum('PUT', 'write', { content: contentOf(turn) });
  const update = (turn) =>
    database.query({
      name: 'write',
      text: `update compose_space set modified = $4, content = $5
        where context_id = $1 and user_id = $2 and id = $3::uuid returning *`,
      values: [ann.contextId, ann.userId, other, Date.now(), contentOf(turn)],
    });
  assert.equal((await write(1)).data.id, own);
  assert.equal((await writeAtLeast(1)).data.content, contentOf(1));
  assert.equal((await update(1)).rowCount, 1);
  if (wanted.includes('write')) {
    await report.compare(`write ${values.kilobytes} kB`, GOALS.write, [write, writeAtLeast]);
    await report.compare('the same, beside the statement alone', undefined, [write, update]);
  }
  await database.end();

  if (wanted.includes('send')) await compareSends(report, { ann, dovecot, sink, ca, text, openSpace, values });

  if (wanted.includes('rules')) await compareRules(report, { ann, dovecot, ca, askMinimum, values });
  report.finish();
}

/** Sends mails with a file, without and with a copy of the sender. */
async function compareSends(report, { ann, dovecot, sink, ca, text, openSpace, values }) {
  const bytes = randomBytes(Number(values.megabytes) * 2 ** 20);
  const mail = { from: ann.address, to: 'bob@far.example', subject: 'bench' };
  const sends = Number(values.sends);
  const spaces = [];
  for (let made = 0; made < 2 * (sends + WARM_SENDS); made++) {
    const id = await openSpace();
    const form = new FormData();
    form.append('file_0', new Blob([bytes], { type: 'application/octet-stream' }), 'bench.bin');
    await ann.call('POST', `mail/compose/${id}/attachments`, {}, form);
    spaces.push(id);
  }
  const parts = { from: [null, mail.from], to: [[null, mail.to]], subject: mail.subject, content: text };
  const tlsOptions = { ca, servername: MAIL_HOST };
  const transport = createTransport({
    ...{ host: '127.0.0.1', port: sink.port, requireTLS: true, tls: tlsOptions },
    auth: { user: LOGIN, pass: MAIL_PASSWORD },
  });
  const sendBy = (query) => () => {
    const form = new FormData();
    form.append('JSON', JSON.stringify(parts));
    return ann.call('POST', `mail/compose/${spaces.pop()}/send`, query, form);
  };
  const content = { ...mail, html: text, attachments: [{ filename: 'bench.bin', content: bytes }] };
  const sendAlone = () => transport.sendMail(content);
  const imap = new ImapFlow({
    ...{ host: '127.0.0.1', port: dovecot.imaps, secure: true, tls: tlsOptions, logger: false },
    auth: { user: LOGIN, pass: MAIL_PASSWORD },
  });
  await imap.connect();
  const sendAndKeep = async () => {
    const source = await new MailComposer(content).compile().build();
    await transport.sendMail({ envelope: { from: mail.from, to: mail.to }, raw: source });
    await imap.append('Sent', source, ['\\Seen']);
  };
  const turns = { warmTurns: WARM_SENDS, mostTurns: sends };
  const title = `send ${values.megabytes} MB`;
  await report.compare(`${title}, without a copy`, GOALS.send, [sendBy({ copy2Sent: 'false' }), sendAlone], turns);
  await report.compare(`${title} and keep a copy`, GOALS.send, [sendBy({}), sendAndKeep], turns);
  await imap.logout();
  const encoded = (bytes.length * 4) / 3;
  assert.ok(
    sink.sizes.every((size) => size > encoded),
    'a mail was not sent whole',
  );
}

async function compareRules(report, { ann, dovecot, ca, askMinimum, values }) {
  const rules = Number(values.rules);
  for (let rule = 0; rule < rules; rule++)
    await ann.call(
      'PUT',
      'mailfilter/v2',
      { action: 'new' },
      {
        rulename: `rule ${rule}`,
        test: { id: 'header', comparison: 'contains', headers: ['X-Tag'], values: [`tag ${rule}`] },
        actioncmds: [{ id: 'move', into: 'default0/INBOX', copy: false }],
      },
    );
  const list = () => ann.call('GET', 'mailfilter/v2', { action: 'list' });
  const listAtLeast = () => askMinimum('GET', 'rules');
  const readScript = () => readActiveScript({ port: dovecot.sieve, ca, login: LOGIN });
  const countRules = (script) => script.match(/Rulename: rule/g).length;
  assert.equal((await list()).data.length, rules);
  assert.equal(countRules((await listAtLeast()).data), rules);
  assert.equal(countRules(await readScript()), rules);
  await report.compare(`list ${rules} rules`, GOALS.rules, [list, listAtLeast]);
  await report.compare('the same, beside ManageSieve alone', undefined, [list, readScript]);
}

await runBench(main, { minutes: 4 });
