// node bench/compose.mjs: what writing, sending and sorting of mails cost beside one statement, nodemailer and ManageSieve
// alone. See README.md.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createTransport } from 'nodemailer';
import { connectTo } from './lib/copy-rows.mjs';
import { MAIL_HOST, MAIL_PASSWORD, startMailSystem } from './lib/mail-servers.mjs';
import { RawSieve } from './lib/raw-protocols.mjs';
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
      seconds: { type: 'string', default: '15' },
      json: { type: 'string' },
      /** Fail when a goal is missed. */
      check: { type: 'boolean', default: false },
    },
  });
  requireBuild();
  const environment = await servers();
  const { clients, dovecot, sink, ca } = await startMailSystem(environment, {
    users: { ann: LOGIN },
    more: ['mail-filter'],
    properties: { 'com.example.mail.compose.maxSpacesPerUser': '100' },
  });
  const { ann } = clients;
  const report = new Report(values);

  const openSpace = async () => (await ann.call('POST', 'mail/compose', {}, undefined)).data.id;
  const [own, other] = [await openSpace(), await openSpace()];
  const database = await connectTo(environment, 'mail');
  const text = `<p>${'a text that is being written '.repeat(40)}</p>`;
  const contentOf = (turn) => text.repeat(Math.ceil((Number(values.kilobytes) * 1_000) / text.length)) + turn;
  const write = (turn) => ann.call('PUT', `mail/compose/${own}`, {}, { content: contentOf(turn) });
  const update = (turn) =>
    database.query({
      name: 'write',
      text: `update compose_space set modified = $4, content = $5
        where context_id = $1 and user_id = $2 and id = $3::uuid returning *`,
      values: [ann.contextId, ann.userId, other, Date.now(), contentOf(turn)],
    });
  assert.equal((await write(1)).data.id, own);
  assert.equal((await update(1)).rowCount, 1);
  await report.compare(`write ${values.kilobytes} kB`, GOALS.write, [write, update]);
  await database.end();

  const bytes = randomBytes(Number(values.megabytes) * 2 ** 20);
  const mail = { from: ann.address, to: 'bob@far.example', subject: 'bench' };
  const sends = Number(values.sends);
  const spaces = [];
  for (let made = 0; made < sends + WARM_SENDS; made++) {
    const id = await openSpace();
    const form = new FormData();
    form.append('file_0', new Blob([bytes], { type: 'application/octet-stream' }), 'bench.bin');
    await ann.call('POST', `mail/compose/${id}/attachments`, {}, form);
    spaces.push(id);
  }
  const parts = { from: [null, mail.from], to: [[null, mail.to]], subject: mail.subject, content: text };
  const transport = createTransport({
    ...{ host: '127.0.0.1', port: sink.port, requireTLS: true, tls: { ca, servername: MAIL_HOST } },
    auth: { user: LOGIN, pass: MAIL_PASSWORD },
  });
  const send = (turn) => {
    const form = new FormData();
    form.append('JSON', JSON.stringify(parts));
    return ann.call('POST', `mail/compose/${spaces[turn]}/send`, {}, form);
  };
  const sendAlone = () =>
    transport.sendMail({ ...mail, html: text, attachments: [{ filename: 'bench.bin', content: bytes }] });
  await report.compare(`send ${values.megabytes} MB`, GOALS.send, [send, sendAlone], {
    warmTurns: WARM_SENDS,
    mostTurns: sends,
  });
  const encoded = (bytes.length * 4) / 3;
  assert.ok(
    sink.sizes.every((size) => size > encoded),
    'a mail was not sent whole',
  );

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
  const readScript = async () => {
    const client = await RawSieve.open({ port: dovecot.sieve, ca, login: LOGIN });
    const scripts = (await client.ask('LISTSCRIPTS')).toString();
    const script = await client.ask(`GETSCRIPT ${/^(".*") ACTIVE/m.exec(scripts)[1]}`);
    client.close();
    return script.toString();
  };
  assert.equal((await list()).data.length, rules);
  assert.equal((await readScript()).match(/Rulename: rule/g).length, rules);
  await report.compare(`list ${rules} rules`, GOALS.rules, [list, readScript]);
  report.finish();
}

await runBench(main, { minutes: 4 });
