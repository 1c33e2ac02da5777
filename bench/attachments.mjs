import { createHash } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

// node bench/attachments.mjs: bytes per second of uploads and downloads through a running installation, beside a plain Node
// stream through a file store of the same kind in the same run, and the memory of the processes meanwhile.
// Needs: BENCH_URL (public listener), BENCH_SESSION and BENCH_COOKIES of a logged-in user, BENCH_OBJECT as
// {"folder":…,"attached":…,"module":1}, optionally BENCH_PIDS (comma list) and BENCH_MB (default 100; 2048 for the large run,
// which needs GATEWAY_MAX_UPLOAD_BYTES accordingly).
const require = createRequire(import.meta.url);
const { fileStoreFor } = require('@groupware/file-store');

const { BENCH_URL: url, BENCH_SESSION: session, BENCH_COOKIES: cookie, BENCH_OBJECT: object } = process.env;
if (!url || !session || !cookie || !object) throw new Error('BENCH_URL, BENCH_SESSION, BENCH_COOKIES, BENCH_OBJECT');
const megabytes = Number(process.env.BENCH_MB ?? 100);
const pids = (process.env.BENCH_PIDS ?? '').split(',').filter(Boolean);
const agent = process.env.BENCH_AGENT ?? 'bench';
const piece = Buffer.alloc(2 ** 20, 7);
const target = JSON.parse(object);

function* pieces(hash) {
  for (let number = 0; number < megabytes; number++) {
    const next = Buffer.from(piece);
    next.writeUInt32LE(number);
    hash?.update(next);
    yield next;
  }
}

const resident = () =>
  pids.reduce((sum, pid) => sum + Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]), 0) /
  1024;

async function timed(name, work) {
  const before = resident();
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, resident())), 50);
  const began = performance.now();
  const result = await work();
  const seconds = (performance.now() - began) / 1000;
  clearInterval(watch);
  const growth = pids.length > 0 ? `, memory +${(most - before).toFixed(0)} MB` : '';
  console.log(`${name.padEnd(32)} ${(megabytes / seconds).toFixed(0)} MB/s${growth}`);
  return { result, seconds };
}

const headers = { cookie, 'user-agent': agent };
const send = (method, parameters, extra, body) =>
  new Promise((resolve, reject) => {
    const query = new URLSearchParams({ session, ...parameters });
    const outgoing = http.request(`${url}/attachment?${query}`, { method, headers: { ...headers, ...extra } }, resolve);
    outgoing.on('error', reject);
    body(outgoing).catch(reject);
  });

async function upload(hash) {
  const response = await send(
    'POST',
    { action: 'attach', plainJson: 'true' },
    { 'content-type': 'multipart/form-data; boundary=b' },
    async (outgoing) => {
      outgoing.write(
        `--b\r\nContent-Disposition: form-data; name="json_0"\r\n\r\n${object}\r\n--b\r\n` +
          'Content-Disposition: form-data; name="file_0"; filename="bench"\r\n\r\n',
      );
      for (const next of pieces(hash))
        if (!outgoing.write(next)) await new Promise((resume) => outgoing.once('drain', resume));
      outgoing.end('\r\n--b--\r\n');
    },
  );
  let text = '';
  for await (const chunk of response) text += chunk;
  const answer = JSON.parse(text);
  if (!answer.data) throw new Error(text);
  return answer.data[0];
}

async function download(id, hash) {
  const response = await send('GET', { action: 'document', id, ...target }, {}, async (outgoing) => outgoing.end());
  for await (const chunk of response) hash.update(chunk);
}

/** The least that has to be done: a Node server whose bodies go into a store and come out of it. */
async function plain(store) {
  let stored;
  const server = http.createServer(async (request, response) => {
    if (request.method === 'POST') stored = await store.write(request, { maxBytes: Number.MAX_SAFE_INTEGER });
    else
      for await (const chunk of store.read(stored.reference))
        if (!response.write(chunk)) await new Promise((resume) => response.once('drain', resume));
    response.end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const ask = (method, body) =>
    new Promise((resolve, reject) => {
      const outgoing = http.request({ port: server.address().port, method }, resolve);
      outgoing.on('error', reject);
      body(outgoing).catch(reject);
    });
  const up = await timed('plain stream, upload', async () => {
    const response = await ask('POST', async (outgoing) => {
      for (const next of pieces())
        if (!outgoing.write(next)) await new Promise((resume) => outgoing.once('drain', resume));
      outgoing.end();
    });
    response.resume();
    await new Promise((resolve) => response.once('end', resolve));
  });
  const hash = createHash('sha256');
  const down = await timed('plain stream, download', async () => {
    for await (const chunk of await ask('GET', async (outgoing) => outgoing.end())) hash.update(chunk);
  });
  server.close();
  return { up, down };
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-files-'));
try {
  const least = await plain(fileStoreFor(folder));
  const [sent, received] = [createHash('sha256'), createHash('sha256')];
  const up = await timed('attachments, upload', () => upload(sent));
  const down = await timed('attachments, download', () => download(up.result, received));
  const same = sent.digest('hex') === received.digest('hex');
  const share = (a, b) => `${((a.seconds / b.seconds) * 100).toFixed(0)} %`;
  console.log(
    `of the plain stream: upload ${share(least.up, up)}, download ${share(least.down, down)}; bytes equal: ${same}`,
  );
  if (!same) process.exitCode = 1;
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
