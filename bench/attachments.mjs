// node bench/attachments.mjs: uploads and downloads of one attachment beside a plain Node stream through the same file
// store, in turns, what CPU time each takes, and how far the memory of the processes grows meanwhile. See README.md.
import { createHash } from 'node:crypto';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cpuOf, memoryOf, start } from './lib/processes.mjs';
import { createUsers, enter, keep, requireBuild, servers, startSystem, runBench } from './lib/system.mjs';

const { values: options } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '5' },
    /** Downloads of each upload, in turns with those of the plain stream. */
    downloads: { type: 'string', default: '1' },
    /** Folder for CPU profiles of every process. */
    profile: { type: 'string' },
    /** Fail when a goal is missed. */
    check: { type: 'boolean', default: false },
  },
});
const here = path.dirname(fileURLToPath(import.meta.url));
const nodeOptions = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${options.profile}`] : [];
const megabytes = Number(options.megabytes);
const rounds = Number(options.rounds);
const downloads = Number(options.downloads);
const BYTES = megabytes * 2 ** 20;
/** Share of the plain stream, and growth of one process in MiB. */
const GOALS = { throughput: 0.6, growth: 64 };
const SAMPLE_MS = 25;
const piece = Buffer.alloc(2 ** 20, 7);

/** Contents differ, so each upload is stored anew. */
function* pieces(seed, hash) {
  for (let number = 0; number < megabytes; number++) {
    const next = Buffer.from(piece);
    next.writeUInt32LE(number);
    next.writeUInt32LE(seed, 4);
    hash?.update(next);
    yield next;
  }
}

async function send(outgoing, seed, hash) {
  for (const next of pieces(seed, hash))
    if (!outgoing.write(next)) await new Promise((resume) => outgoing.once('drain', resume));
}

const ask = (url, requestOptions, body) =>
  new Promise((resolve, reject) => {
    const outgoing = http.request(url, requestOptions, resolve);
    outgoing.on('error', reject);
    body(outgoing).catch(reject);
  });

async function textOf(response) {
  let text = '';
  for await (const chunk of response) text += chunk;
  return text;
}

/** Reads all bytes; their hash where it is wanted: to make it costs more than to send them. */
async function consume(response, hash) {
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    hash?.update(chunk);
  }
  if (size !== BYTES) throw new Error(`${size} of ${BYTES} bytes came`);
}

/** The plain stream, seen by a client. */
const plainOf = (url) => ({
  upload: async (seed) =>
    void (await textOf(
      await ask(url, { method: 'POST' }, async (outgoing) => {
        await send(outgoing, seed);
        outgoing.end();
      }),
    )),
  download: async () => consume(await ask(url, {}, async (outgoing) => outgoing.end())),
  remove: async () => void (await textOf(await ask(url, { method: 'DELETE' }, async (outgoing) => outgoing.end()))),
});

/** The product, seen by a client. */
function attachmentsOf(client, target) {
  let id;
  const upload = async (seed, hash) => {
    const response = await ask(
      client.url('attachment', { action: 'attach', plainJson: 'true' }),
      { method: 'POST', headers: { ...client.headers, 'content-type': 'multipart/form-data; boundary=bench' } },
      async (outgoing) => {
        outgoing.write(
          '--bench\r\nContent-Disposition: form-data; name="json_0"\r\n\r\n' +
            `${JSON.stringify(target)}\r\n--bench\r\n` +
            'Content-Disposition: form-data; name="file_0"; filename="bench"\r\n\r\n',
        );
        await send(outgoing, seed, hash);
        outgoing.end('\r\n--bench--\r\n');
      },
    );
    const text = await textOf(response);
    id = JSON.parse(text).data?.[0];
    if (id === undefined) throw new Error(text);
  };
  const download = async (hash) => {
    const url = client.url('attachment', { action: 'document', id, ...target });
    await consume(await ask(url, { headers: client.headers }, async (outgoing) => outgoing.end()), hash);
  };
  return { upload, download, remove: () => client.call('PUT', 'attachment', { action: 'detach', ...target }, [id]) };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

async function main() {
  requireBuild();
  const environment = await servers();
  const system = await startSystem(environment, {
    more: ['attachments'],
    settings: {
      GATEWAY_MAX_UPLOAD_BYTES: String(BYTES + 2 ** 20),
      GATEWAY_MAX_INCOMING_BYTES_PER_USER: String(2 * BYTES),
      GATEWAY_MAX_INCOMING_BYTES: String(2 * BYTES),
    },
    nodeOptions,
  });
  const [login] = await createUsers(system.internalUrl, { quotaMb: -1 });
  const { client, folder } = await enter(system.publicUrl, login);
  const begin = Date.UTC(2031, 0, 1);
  const fields = { folder_id: folder, title: 'bench', start_date: begin, end_date: begin + 3_600_000 };
  const { data } = await client.call('PUT', 'calendar', { action: 'new', timezone: 'UTC' }, fields);
  const product = attachmentsOf(client, { folder: Number(folder), attached: Number(data.id), module: 1 });
  const store = { FILESTORE_URL: `file://${environment.dataDir}/files` };
  const minimum = keep(await start('minimum', path.join(here, 'minimum', 'files.mjs'), store, nodeOptions));
  const plain = plainOf(minimum.line.split(' ')[1]);

  const watched = { gateway: system.gateway, attachments: system.attachments };
  const before = {};
  const most = {};
  const sample = () => {
    for (const [name, each] of Object.entries(watched)) most[name] = Math.max(most[name] ?? 0, memoryOf([each]));
  };
  const taken = {};
  const timed = async (name, processes, work) => {
    const [began, cpu] = [performance.now(), cpuOf(processes)];
    await work();
    const each = (taken[name] ??= { seconds: [], cpuMs: [] });
    each.seconds.push((performance.now() - began) / 1000);
    each.cpuMs.push((cpuOf(processes) - cpu) / 1000);
  };
  const ours = Object.values(watched);
  // A first small round: what processes need once is no growth.
  for (let round = 0; round <= rounds; round++) {
    const name = (text) => (round === 0 ? 'warm-up' : text);
    if (round === 1) for (const key of Object.keys(watched)) before[key] = memoryOf([watched[key]]);
    const watch = round > 0 && setInterval(sample, SAMPLE_MS);
    if (round === 0 && rounds === 1) continue;
    await timed(name('plainUp'), [minimum], () => plain.upload(2 * round));
    await timed(name('up'), ours, () => product.upload(2 * round + 1));
    for (let again = 0; again < downloads; again++) {
      await timed(name('plainDown'), [minimum], () => plain.download());
      await timed(name('down'), ours, () => product.download());
    }
    await plain.remove();
    await product.remove();
    clearInterval(watch);
  }
  const [sent, received] = [createHash('sha256'), createHash('sha256')];
  await product.upload(1_000_003, sent);
  await product.download(received);
  const same = sent.digest('hex') === received.digest('hex');

  console.log(`${os.cpus().length} cores, Node ${process.version}, ${megabytes} MiB, ${rounds} rounds, medians`);
  let kept = same;
  for (const [title, least, own] of [
    ['upload', taken.plainUp, taken.up],
    ['download', taken.plainDown, taken.down],
  ]) {
    const share = median(least.seconds) / median(own.seconds);
    kept &&= share >= GOALS.throughput;
    const rate = ({ seconds }) => `${(megabytes / median(seconds)).toFixed(0)} MiB/s`.padStart(12);
    // Other work of the machine changes this much less.
    const cpu = ({ cpuMs }) => `${(median(cpuMs) / megabytes).toFixed(2)} ms`;
    console.log(
      `${title.padEnd(10)} plain${rate(least)}   attachments${rate(own)}   ${share.toFixed(2)}, goal ${GOALS.throughput};` +
        `   CPU of a MiB ${cpu(least)}, ${cpu(own)}`,
    );
  }
  for (const name of Object.keys(watched)) {
    const growth = most[name] - before[name];
    kept &&= growth < GOALS.growth;
    console.log(
      `${name.padEnd(12)} grew by ${growth.toFixed(0)} MiB to ${most[name].toFixed(0)}, goal ${GOALS.growth}`,
    );
  }
  console.log(`bytes ${same ? 'equal' : 'DIFFERENT'}; goals ${kept ? 'kept' : 'MISSED'}`);
  if (!same || (options.check && !kept)) process.exitCode = 1;
}

await runBench(main);
