import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { findFreePorts } from './free-ports';

/** A running Cyrus IMAP server. */
export interface Cyrus {
  /** Port of IMAP in clear text. */
  readonly imap: number;
  stop(): Promise<void>;
}

/** Time for a start, ms. */
const START_MS = 20_000;
const FOLDERS = ['config', 'spool', 'lock', 'proc'];

/**
 * Starts a Cyrus on loopback with users of its own, from the programs that `npm run test:mail-servers` found (`CYRUS_ROOT`,
 * `CYRUS_LIBRARIES`).
 * @param users passwords by login; a mailbox is made at the first login
 */
export async function startCyrus(users: Readonly<Record<string, string>>): Promise<Cyrus> {
  const root = process.env.CYRUS_ROOT;
  if (!root) throw new Error('there is no Cyrus: CYRUS_ROOT is not set');
  const base = mkdtempSync(path.join(os.tmpdir(), 'cyrus-'));
  chmodSync(base, 0o755);
  const isRoot = process.getuid?.() === 0;
  const idOf = (flag: string) =>
    execFileSync('id', [flag, ...(isRoot ? ['nobody'] : [])])
      .toString()
      .trim();
  for (const name of ['', ...FOLDERS]) {
    mkdirSync(path.join(base, name), { recursive: true });
    if (isRoot) chownSync(path.join(base, name), Number(idOf('-u')), Number(idOf('-g')));
  }
  const [imap] = (await findFreePorts(1)) as [number];
  const file = (name: string, content: string) => {
    writeFileSync(path.join(base, name), content);
    return path.join(base, name);
  };
  const config = file('imapd.conf', settingsOf(base, { user: idOf('-un'), group: idOf('-gn') }));
  const programs = path.join(root, 'usr/lib/cyrus/bin');
  const services = file(
    'cyrus.conf',
    `START {
  recover cmd="${programs}/ctl_cyrusdb -C ${config} -r"
}
SERVICES {
  imap cmd="${programs}/imapd -C ${config}" listen="127.0.0.1:${imap}" prefork=0 maxchild=100
}
EVENTS {
}
`,
  );
  const passwords = await startPasswordCheck(path.join(base, 'passwords'), users);
  const output = path.join(base, 'master.log');
  const child = spawn(
    path.join(programs, 'master'),
    ['-C', config, '-M', services, '-p', path.join(base, 'master.pid'), '-D', '-L', output],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, LD_LIBRARY_PATH: process.env.CYRUS_LIBRARIES },
    },
  );
  const end = () => child.kill('SIGTERM');
  process.once('exit', end);
  const stop = async () => {
    process.off('exit', end);
    if (child.exitCode === null) {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      end();
      await gone;
    }
    passwords.close();
    rmSync(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  const deadline = Date.now() + START_MS;
  while (!(await greets(imap))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      const said = readFileSync(output, { encoding: 'utf8', flag: 'a+' });
      await stop();
      throw new Error(`Cyrus did not start: ${said}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { imap, stop };
}

const settingsOf = (base: string, { user, group }: { readonly user: string; readonly group: string }): string => `
configdirectory: ${base}/config
partition-default: ${base}/spool
defaultpartition: default
mboxname_lockpath: ${base}/lock
proc_path: ${base}/proc
cyrus_user: ${user}
cyrus_group: ${group}
allowplaintext: yes
altnamespace: no
unixhierarchysep: no
sasl_pwcheck_method: saslauthd
sasl_saslauthd_path: ${base}/passwords
autocreate_quota: 0
autocreate_post: 1
autocreate_inbox_folders: Sent | Drafts | Trash
`;

/** Answers the server whether a password is right: each text is preceded by its length (saslauthd). */
async function startPasswordCheck(place: string, users: Readonly<Record<string, string>>): Promise<net.Server> {
  const server = net.createServer((socket) => {
    let bytes = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      const texts: string[] = [];
      for (let at = 0; texts.length < 4;) {
        if (bytes.length < at + 2) return;
        const end = at + 2 + bytes.readUInt16BE(at);
        if (bytes.length < end) return;
        texts.push(bytes.toString('utf8', at + 2, end));
        at = end;
      }
      const [login = '', password] = texts;
      const isRight = Object.hasOwn(users, login) && users[login] === password;
      socket.end(Buffer.concat([Buffer.from([0, 2]), Buffer.from(isRight ? 'OK' : 'NO')]));
    });
  });
  await new Promise<void>((resolve) => server.listen(place, resolve));
  chmodSync(place, 0o777);
  return server;
}

function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
