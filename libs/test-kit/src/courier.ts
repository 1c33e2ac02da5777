import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

/** A running Courier IMAP server. */
export interface Courier {
  /** Port of IMAP in clear text. */
  readonly imap: number;
  stop(): Promise<void>;
}

/** Settings of Debian's configuration. */
const SETTINGS = {
  IMAP_CAPABILITY: 'IMAP4rev1 UIDPLUS CHILDREN NAMESPACE THREAD=ORDEREDSUBJECT THREAD=REFERENCES SORT QUOTA IDLE',
  ...{ IMAP_KEYWORDS: '1', IMAP_ACL: '1', IMAP_USELOCKS: '0', IMAP_ENHANCEDIDLE: '0', IMAP_OBSOLETE_CLIENT: '0' },
  ...{ IMAP_TRASHFOLDERNAME: 'Trash', IMAP_MOVE_EXPUNGE_TO_TRASH: '0', IMAP_CHECK_ALL_FOLDERS: '0' },
};

/**
 * Starts a Courier on loopback with users of its own, from the programs that `npm run test:mail-servers` found (`COURIER_ROOT`,
 * `COURIER_LIBRARIES`). What listens for connections and logs in is here: Courier's own knows its sockets and users by fixed paths
 * of an installed system. All after the log-in is Courier's.
 * @param users passwords by login
 */
export async function startCourier(users: Readonly<Record<string, string>>): Promise<Courier> {
  const root = process.env.COURIER_ROOT;
  if (!root) throw new Error('there is no Courier: COURIER_ROOT is not set');
  const env = { ...process.env, ...SETTINGS, LD_LIBRARY_PATH: process.env.COURIER_LIBRARIES };
  const base = mkdtempSync(path.join(os.tmpdir(), 'courier-'));
  for (const login of Object.keys(users)) {
    mkdirSync(path.join(base, login));
    execFileSync(path.join(root, 'usr/bin/maildirmake.courier'), [path.join(base, login, 'Maildir')], { env });
  }
  const children = new Set<ChildProcess>();
  const serve = (socket: net.Socket, login: string, tag: string) => {
    const cwd = path.join(base, login);
    const child = spawn(path.join(root, 'usr/bin/imapd'), [path.join(cwd, 'Maildir')], {
      ...{ cwd, stdio: ['pipe', 'pipe', 'ignore'] as const },
      env: { ...env, HOME: cwd },
    });
    children.add(child);
    child.once('exit', () => {
      children.delete(child);
      socket.end();
    });
    for (const stream of [child.stdin, child.stdout]) stream.on('error', () => socket.destroy());
    socket.once('close', () => child.stdin.end());
    socket.pipe(child.stdin);
    // Started without one who logged in, it greets with a line of its own.
    let said = Buffer.alloc(0);
    child.stdout.on('data', function skip(bytes: Buffer) {
      said = Buffer.concat([said, bytes]);
      const end = /^\* PREAUTH .*\r\n/m.exec(said.toString('latin1'));
      if (!end) return;
      child.stdout.off('data', skip);
      socket.write(`${tag} OK LOGIN Ok.\r\n`);
      socket.write(said.subarray(end.index + end[0].length));
      child.stdout.pipe(socket, { end: false });
    });
  };
  const server = net.createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.write(`* OK [CAPABILITY ${SETTINGS.IMAP_CAPABILITY}] Courier-IMAP ready.\r\n`);
    socket.on('data', function read(bytes: Buffer) {
      const words = bytes.toString('latin1').match(/"[^"]*"|[^\s"]+/g) ?? [];
      const [tag = '*', command, login = '', password] = words.map((word) => word.replaceAll('"', ''));
      if (command === 'CAPABILITY') {
        socket.write(`* CAPABILITY ${SETTINGS.IMAP_CAPABILITY}\r\n${tag} OK CAPABILITY completed\r\n`);
      } else if (command !== 'LOGIN') {
        socket.end(`${tag} NO Error in IMAP command received by server.\r\n`);
      } else if (!Object.hasOwn(users, login) || users[login] !== password) {
        socket.write(`${tag} NO Login failed.\r\n`);
      } else {
        socket.off('data', read);
        serve(socket, login, tag);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const end = () => children.forEach((child) => child.kill('SIGTERM'));
  process.once('exit', end);
  return {
    imap: (server.address() as net.AddressInfo).port,
    stop: async () => {
      process.off('exit', end);
      const gone = [...children].map((child) => new Promise((resolve) => child.once('exit', resolve)));
      server.close();
      end();
      await Promise.all(gone);
      rmSync(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
