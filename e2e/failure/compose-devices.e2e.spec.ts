import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from '../client';
import { createFixtures, PASSWORD, type Fixtures } from '../fixtures';
import { MAIL_PASSWORD, startOutside, type Outside } from '../mail-account/outside';
import { createProcessWorld, type ProcessWorld } from '../processes';

/** Size of all files of the mail, MiB. */
const MEGABYTES = Number(process.env.E2E_DRAFT_MEGABYTES ?? 10);
const FILES = 5;
const FILE_BYTES = Math.ceil((MEGABYTES * 1024 * 1024) / FILES);

let outside: Outside;
let world: ProcessWorld;
let cast: Fixtures;
/** Sources of the mails that the server took. */
const taken: string[] = [];

beforeAll(async () => {
  outside = await startOutside(['ann']);
  const smtp = await outside.smtp({
    onData: (stream: NodeJS.ReadableStream, _session: unknown, done: () => void) => {
      const parts: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => parts.push(chunk));
      stream.on('end', () => {
        taken.push(Buffer.concat(parts).toString('latin1'));
        done();
      });
    },
  });
  const { imaps } = outside.dovecot;
  world = await createProcessWorld(
    ['identity,folders,calendar,settings,mail-account', 'mail'],
    {
      ...outside.variables,
      MAIL_ACCOUNT_GLOBAL_PASSWORD: MAIL_PASSWORD,
      MAIL_ACCOUNT_GLOBAL_PASSWORD_SERVERS: `imaps://mail.test:${imaps},smtp://mail.test:${smtp}`,
    },
    async (variables) => {
      variables.GROUPWARE_PROPERTIES_FILE = path.join(variables.DATA_DIR!, 'server.properties');
      const properties = [
        'com.example.mail.passwordSource=global',
        `com.example.mail.maxUploadSize=${2 * FILE_BYTES}`,
        `com.example.mail.maxMailSize=${2 * FILES * FILE_BYTES}`,
      ];
      writeFileSync(variables.GROUPWARE_PROPERTIES_FILE, properties.join('\n'));
    },
  );
  cast = await createFixtures(world);
  await cast.admin.expect('PUT', `/admin/v1/contexts/${cast.contextId}/users/${cast.U1.userId}/mail-account`, {
    imap: { host: 'mail.test', port: imaps, secure: true, login: 'ann' },
    smtp: { host: 'mail.test', port: smtp, secure: false, starttls: true },
  });
}, 120_000);
afterAll(async () => {
  await world?.close();
  await outside?.close();
}, 60_000);

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const fetchOf = (device: Client, method: string, address: string, body?: FormData | string): Promise<Response> =>
  device.fetch(
    method,
    `/mail/compose${address}`,
    { session: device.session },
    { body, headers: typeof body === 'string' ? { 'content-type': 'application/json' } : undefined },
  );
/** Asks again while the service is away. */
async function ask(device: Client, method: string, address: string, body?: FormData | string): Promise<any> {
  for (;;) {
    const answer: any = await fetchOf(device, method, address, body)
      .then((response) => response.json())
      .catch(() => undefined);
    if (answer && !/^SVL-003[235]$/.test(answer.code ?? '')) return answer;
    await wait(50);
  }
}
const formOf = (name: string, bytes: Buffer): FormData => {
  const form = new FormData();
  form.append('file', new Blob([bytes], { type: 'application/octet-stream' }), name);
  return form;
};

/** Begins an upload that ends in the middle, as a device does that loses its network. */
function breakUpload(device: Client, id: string, name: string, bytes: Buffer): Promise<void> {
  const boundary = 'broken';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`;
  const target = new URL(`${world.publicUrl}/mail/compose/${id}/attachments`);
  target.searchParams.set('session', device.session);
  return new Promise((resolve) => {
    const upload = request(target, {
      method: 'POST',
      headers: {
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'content-length': String(bytes.length + 1_000),
        cookie: device.cookieHeader,
      },
    });
    upload.on('error', () => resolve()).on('close', () => resolve());
    upload.write(head);
    upload.write(bytes.subarray(0, bytes.length / 2), () => upload.destroy());
  });
}

/** Files of a mail by their names, as digests. */
function filesOf(source: string): Map<string, string> {
  const files = new Map<string, string>();
  const pattern = /^Content-Disposition: attachment; filename="?([^"\r\n]+)"?\r\n\r\n([A-Za-z0-9+/=\r\n]+)/gm;
  const folded = source.replace(/;\r\n\s+/g, '; ');
  for (const [, name, text] of folded.matchAll(pattern))
    files.set(name!, digest(Buffer.from(text!.replace(/\r\n/g, ''), 'base64')));
  return files;
}

it(
  'CS-20 CA-05 CA-06 sends a mail of two devices once and whole, though the service is killed while it is written',
  async () => {
    const [, mail] = world.processes;
    const restart = async () => {
      await mail!.kill();
      await mail!.start();
    };
    const phone = new Client(world.publicUrl);
    await phone.login(cast.U1.loginName, PASSWORD);
    const desk: Client = cast.U1;
    const wanted = new Map(Array.from({ length: FILES }, (_, at) => [`file${at}.bin`, randomBytes(FILE_BYTES)]));
    const { id } = (await ask(desk, 'POST', '')).data;
    const attachments = async (device: Client): Promise<{ id: string; name: string; size: number }[]> =>
      (await ask(device, 'GET', `/${id}`)).data.attachments;
    const upload = (device: Client, name: string) =>
      ask(device, 'POST', `/${id}/attachments`, formOf(name, wanted.get(name)!));

    await upload(desk, 'file0.bin');
    await breakUpload(desk, id, 'file1.bin', wanted.get('file1.bin')!);
    const large = await ask(desk, 'POST', `/${id}/attachments`, formOf('large.bin', Buffer.alloc(2 * FILE_BYTES + 1)));
    expect(large.code).toBe('UPL-0005');
    expect((await attachments(phone)).map(({ name }) => name)).toEqual(['file0.bin']);
    expect((await ask(phone, 'PUT', `/${id}`, JSON.stringify({ subject: 'by phone' }))).data.subject).toBe('by phone');

    // Both go on at the same time; the service is killed under them.
    const uploads = [...wanted.keys()].slice(1).map((name, at) =>
      fetchOf(at % 2 === 0 ? desk : phone, 'POST', `/${id}/attachments`, formOf(name, wanted.get(name)!))
        .then((response) => response.json())
        .catch(() => undefined),
    );
    await wait(100);
    await restart();
    await Promise.all(uploads);
    const kept = await attachments(phone);
    expect(kept.filter(({ size }) => size !== FILE_BYTES)).toEqual([]);
    for (const name of wanted.keys()) if (!kept.some((file) => file.name === name)) await upload(phone, name);
    await ask(desk, 'PUT', `/${id}`, JSON.stringify({ content: '<p>by desk</p>', to: [[null, 'bob@x.example']] }));

    await restart();
    expect((await ask(phone, 'GET', `/${id}`)).data).toMatchObject({ subject: 'by phone', content: '<p>by desk</p>' });
    const listed = await attachments(desk);
    expect(listed.map(({ name }) => name).sort()).toEqual([...wanted.keys()]);
    for (const { id: file, name } of listed) {
      const read = await fetchOf(desk, 'GET', `/${id}/attachments/${file}`);
      expect(digest(Buffer.from(await read.arrayBuffer()))).toBe(digest(wanted.get(name)!));
    }

    const form = () => {
      const data = new FormData();
      data.append('JSON', '{}');
      return data;
    };
    const answers = await Promise.all([desk, phone].map((device) => ask(device, 'POST', `/${id}/send`, form())));
    expect(answers.map(({ code }) => code ?? 'sent').sort()).toEqual([
      expect.stringMatching(/^MSGCS-00(07|10)$/),
      'sent',
    ]);
    expect(taken).toHaveLength(1);
    expect(taken[0]).toMatch(/^Subject: by phone\r$/m);
    expect(filesOf(taken[0]!)).toEqual(new Map([...wanted].map(([name, bytes]) => [name, digest(bytes)])));
    expect((await ask(desk, 'GET', '')).data).toEqual([]);
  },
  120_000 + MEGABYTES * 4_000,
);
