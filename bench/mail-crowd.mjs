// node bench/mail-crowd.mjs: many users who look at their mailboxes at once, and the connections that takes. See README.md.
import { parseArgs } from 'node:util';
import { inParallel } from './lib/client.mjs';
import { startMailSystem } from './lib/mail-servers.mjs';
import { fillMailbox } from './lib/mailbox-files.mjs';
import { requireBuild, runBench, servers } from './lib/system.mjs';

const { values: options } = parseArgs({
  options: {
    users: { type: 'string', default: '200' },
    /** Mails of each of them. */
    mails: { type: 'string', default: '200' },
    /** Most connections to the server of mailboxes. */
    limit: { type: 'string', default: '100' },
    /** Pause of a user between an answer and the next request, ms. */
    pause: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '15' },
    /** Fail when the goal is missed. */
    check: { type: 'boolean', default: false },
  },
});
const [users, mails, limit, pauseMs, seconds] = [
  options.users,
  options.mails,
  options.limit,
  options.pause,
  options.seconds,
].map(Number);
const FOLDER = 'Crowd';
const FOLDER_ID = `default0/${FOLDER}`;
/** Minutes, setting up included. */
const LONGEST = 12;

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

async function main() {
  requireBuild();
  const names = Array.from({ length: users }, (_each, index) => `user${index}`);
  const { clients, dovecot, link } = await startMailSystem(await servers(), {
    users: Object.fromEntries(names.map((name) => [name, name])),
    counted: names,
    settings: { MAIL_CONNECTIONS_PER_HOST: String(limit) },
  });
  await inParallel(names, 4, (name) => fillMailbox(dovecot.homes, name, FOLDER, mails));

  const times = [];
  const errors = new Map();
  const end = performance.now() + seconds * 1_000;
  const ask = async (client, parameters) => {
    const begin = performance.now();
    try {
      const answer = await client.answer('GET', 'mail', { folder: FOLDER_ID, ...parameters });
      times.push(performance.now() - begin);
      return JSON.parse(answer).data;
    } catch (error) {
      const [, code = 'no answer'] = /"code":"([^"]+)"/.exec(String(error)) ?? [];
      errors.set(code, (errors.get(code) ?? 0) + 1);
      return undefined;
    }
  };
  const think = () => new Promise((resolve) => setTimeout(resolve, pauseMs));
  await Promise.all(
    names.map(async (name) => {
      const client = clients[name];
      while (performance.now() < end) {
        const window = { left_hand_limit: 0, right_hand_limit: 50, sort: 610, order: 'desc' };
        const rows = await ask(client, { action: 'all', columns: '600,601,603,607,610,611', ...window });
        await think();
        const [id] = rows?.[Math.floor(Math.random() * rows.length)] ?? [];
        if (id !== undefined) await ask(client, { action: 'get', id, unseen: true });
        await think();
      }
    }),
  );

  times.sort((a, b) => a - b);
  const failed = [...errors.values()].reduce((sum, count) => sum + count, 0);
  const [p50, p99] = [0.5, 0.99].map((share) => Math.round(percentile(times, share) ?? 0));
  console.log(`${users} users at once, ${mails} mails each, ${seconds} s, a pause of ${pauseMs} ms`);
  console.log(`answers: ${times.length}, ${Math.round(times.length / seconds)}/s; p50 ${p50} ms, p99 ${p99} ms`);
  console.log(`errors: ${failed === 0 ? 'none' : [...errors].map(([code, count]) => `${code} ${count}`).join(', ')}`);
  console.log(`connections: ${link.most} at most, limit ${limit}`);
  const isKept = failed === 0 && link.most > 0 && link.most <= limit;
  if (!isKept) console.log('MISSED');
  if (options.check && !isKept) process.exitCode = 1;
}

await runBench(main, { minutes: LONGEST });
