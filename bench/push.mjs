// node bench/push.mjs: mails that a mail server pushes, or changes of appointments, until they arrive at open event streams.
// See README.md.
import http from 'node:http';
import os from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { randomUUID } from 'node:crypto';
import { Client, inParallel } from './lib/client.mjs';
import { cpuOf, memoryOf } from './lib/processes.mjs';
import { requireBuild, servers, startSystem, runBench } from './lib/system.mjs';
import { connectBus } from './minimum/connect-bus.mjs';

const { values: options } = parseArgs({
  options: {
    clients: { type: 'string', default: '2000' },
    users: { type: 'string', default: '200' },
    /** Over which the users are spread. */
    contexts: { type: 'string', default: '1' },
    /** Mails per second. */
    rate: { type: 'string', default: '20' },
    /** Changes of appointments per second instead of mails, straight from the bus. */
    events: { type: 'string', default: '0' },
    seconds: { type: 'string', default: '20' },
    /** Fail when the goal is missed. */
    check: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
const clients = Number(options.clients);
const users = Number(options.users);
const contexts = Number(options.contexts);
const isEvents = Number(options.events) > 0;
const rate = Number(isEvents ? options.events : options.rate);
const seconds = Number(options.seconds);
const GOAL_MS = 1_000;
const PASSWORD = 'bench password 1';
const SERVICE = 'bench:bench service 1';

const basic = (pair) => ({ authorization: `Basic ${Buffer.from(pair).toString('base64')}` });

/** Users of one context. */
async function createUsers(internalUrl, contextId, count) {
  const post = async (target, body) => {
    const headers = basic(`master:${PASSWORD}`);
    const response = await fetch(internalUrl + target, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${target}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const person = (name) => ({
    name,
    password: PASSWORD,
    displayName: name,
    givenName: name,
    surname: 'Bench',
    timezone: 'UTC',
  });
  await post('/admin/v1/contexts', {
    id: contextId,
    name: `bench-${contextId}`,
    admin: { ...person('admin'), email: `admin@c${contextId}.example` },
  });
  await inParallel(Array.from({ length: count }), 4, (_each, index) =>
    post(`/admin/v1/contexts/${contextId}/users`, {
      ...person(`user${index}`),
      primaryEmail: `user${index}@c${contextId}.example`,
      locale: 'en_US',
    }),
  );
}

/** Opens an event stream; calls back for every block of it. */
function openStream(client, onBlock) {
  return new Promise((resolve, reject) => {
    const request = http.get(client.url('pns', { action: 'events' }), { headers: client.headers, agent: false });
    request.on('error', reject);
    request.on('response', (response) => {
      if (!response.headers['content-type'].startsWith('text/event-stream'))
        return reject(new Error(`no stream: ${response.statusCode}`));
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        const arrived = performance.now();
        text += part;
        const blocks = text.split('\n\n');
        text = blocks.pop();
        for (const block of blocks) {
          if (block.includes('event: hello')) resolve(request);
          else if (block.includes('data:')) onBlock(block, arrived, request);
        }
      });
      response.on('error', () => undefined);
    });
  });
}

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

async function main() {
  requireBuild();
  const environment = await servers();
  const [login, password] = SERVICE.split(':');
  const system = await startSystem(environment, {
    more: ['push'],
    settings: {
      GROUPWARE_REST_LOGIN: login,
      GROUPWARE_REST_PASSWORD: password,
      GATEWAY_STREAMS_PER_ADDRESS: String(clients + 10),
      GATEWAY_STREAMS_PER_USER: '100',
    },
  });
  const firstContext = 1000 + Math.floor(Math.random() * 1_000_000);
  const contextOf = (index) => firstContext + (index % contexts);
  await inParallel(Array.from({ length: contexts }), 4, (_each, index) =>
    createUsers(system.internalUrl, firstContext + index, Math.ceil((users - index) / contexts)),
  );
  const people = [];
  await inParallel(Array.from({ length: users }), 4, async (_each, index) => {
    const client = new Client(system.publicUrl);
    const contextId = contextOf(index);
    const { user_id: userId } = await client.login(`user${Math.floor(index / contexts)}@${contextId}`, PASSWORD);
    const { data } = isEvents
      ? await client.call('GET', 'folders', { action: 'allVisible', content_type: 'calendar', columns: '1,308' })
      : {};
    people.push({
      client,
      contextId,
      userId,
      streams: 0,
      folder: Number(data?.private.find((row) => row[1] === true)[0]),
    });
  });

  const sentAt = new Map();
  const acknowledgedAt = new Map();
  const times = { sent: [], acknowledged: [] };
  let arrivals = 0;
  let lastArrival = 0;
  let outOfOrder = 0;
  const lastOf = new Map();
  const onBlock = (block, arrived, stream) => {
    const id = /"id":"(m?\d+)"/.exec(block)?.[1];
    if (!id) throw new Error(`unexpected: ${block}`);
    arrivals++;
    lastArrival = arrived;
    if (Number(id) < (lastOf.get(stream) ?? -1)) outOfOrder++;
    lastOf.set(stream, Number(id));
    times.sent.push(arrived - sentAt.get(id));
    // A stream may be faster than the answer to the mail server.
    times.acknowledged.push(Math.max(0, arrived - (acknowledgedAt.get(id) ?? arrived)));
  };
  const opening = performance.now();
  const streams = [];
  await inParallel(Array.from({ length: clients }), 64, async (_each, index) => {
    const person = people[index % people.length];
    streams.push(await openStream(person.client, onBlock));
    person.streams++;
  });
  const openedMs = performance.now() - opening;

  const processes = [system.gateway, system.push];
  const cpuBefore = cpuOf(processes);
  let expected = 0;
  const pushes = [];
  const bus = isEvents ? await connectBus(environment.NATS_URL) : undefined;
  const stream = bus?.jetstream();
  /** Makes the event that the calendar publishes for a change of an appointment of one person. */
  const change = ({ contextId, userId, folder }, number) => ({
    id: randomUUID(),
    name: 'calendar.appointment.changed',
    contextId,
    occurredAt: Date.now(),
    payload: {
      id: number,
      folders: [folder],
      users: [userId],
      resources: [],
      uid: `u${number}`,
      fromMs: 0,
      busy: false,
    },
  });
  const begin = performance.now();
  for (let number = 0; number < rate * seconds; number++) {
    const due = begin + (number * 1000) / rate;
    if (due > performance.now()) await wait(due - performance.now());
    const person = people[Math.floor(Math.random() * people.length)];
    expected += person.streams;
    const id = isEvents ? String(number) : `m${number}`;
    if (stream) {
      const event = change(person, number);
      sentAt.set(id, performance.now());
      const subject = `${environment.name}.event.${event.name}`;
      pushes.push(
        stream
          .publish(subject, JSON.stringify(event), { msgID: event.id, timeout: 20_000 })
          .then(() => acknowledgedAt.set(id, performance.now())),
      );
      continue;
    }
    const body = { event: 'messageNew', user: `${person.userId}@${person.contextId}`, folder: 'INBOX', 'imap-uid': id };
    sentAt.set(id, performance.now());
    pushes.push(
      fetch(`${system.internalUrl}/preliminary/http-notify/v1/notify`, {
        method: 'PUT',
        headers: basic(SERVICE),
        body: JSON.stringify({ ...body, from: 'Ann <ann@example.org>', subject: 'A mail', unseen: 3 }),
      }).then(async (response) => {
        acknowledgedAt.set(id, performance.now());
        if (!response.ok) throw new Error(`push: ${response.status} ${await response.text()}`);
      }),
    );
  }
  await Promise.all(pushes);
  const sendingMs = performance.now() - begin;
  for (let waited = 0; arrivals < expected && waited < 10_000; waited += 50) await wait(50);
  const cpu = (cpuOf(processes) - cpuBefore) / 1e6 / ((performance.now() - begin) / 1000);
  for (const stream of streams) stream.destroy();
  await bus?.close();

  const line = (name, list) => {
    list.sort((a, b) => a - b);
    const [p50, p99, most] = [percentile(list, 0.5), percentile(list, 0.99), list.at(-1)];
    console.log(`  ${name.padEnd(36)}${[p50, p99, most].map((each) => each.toFixed(0).padStart(8)).join('')}`);
    return p99;
  };
  console.log(`${os.cpus().length} cores, Node ${process.version}, load generator on the same machine`);
  console.log(
    `${clients} streams of ${users} users in ${contexts} contexts opened in ${(openedMs / 1000).toFixed(1)} s; ${rate} ${isEvents ? 'events' : 'mails'}/s for ${seconds} s, sent in ${(sendingMs / 1000).toFixed(1)} s`,
  );
  console.log(
    `${arrivals} of ${expected} notices arrived${isEvents ? `, ${outOfOrder} of them before an earlier one of their user` : ''}`,
  );
  console.log(`  ms${' '.repeat(34)}     p50     p99    most`);
  line(isEvents ? 'from the confirmation of JetStream' : 'from the answer to the mail server', times.acknowledged);
  const p99 = line(isEvents ? 'from the publication of the event' : 'from the request of the mail server', times.sent);
  console.log(
    `  arrived within ${((lastArrival - begin) / 1000).toFixed(1)} s: ${((rate * seconds) / ((lastArrival - begin) / 1000)).toFixed(0)}/s`,
  );
  console.log(
    `  CPU of gateway and push: ${(cpu * 100).toFixed(0)} % of a core; memory of the gateway ${memoryOf([system.gateway]).toFixed(0)} MiB, of push ${memoryOf([system.push]).toFixed(0)} MiB`,
  );
  const kept = arrivals === expected && p99 <= GOAL_MS && outOfOrder === 0;
  console.log(`  goal: every notice once, p99 within ${GOAL_MS} ms: ${kept ? 'kept' : 'MISSED'}`);
  if (options.check && !kept) process.exitCode = 1;
}

await runBench(main);
