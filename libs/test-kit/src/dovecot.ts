import { randomBytes } from 'node:crypto';
import { execFile, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createConnection } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { TestCertificate } from './certificates';
import { findFreePorts } from './free-ports';

/** Options of a mail server of a test. */
export interface DovecotOptions {
  readonly certificate: TestCertificate;
  /** Passwords by login. Default: user `ann` with the password `secret`. */
  readonly users?: Readonly<Record<string, string>>;
  /** Most connections of one user. Default 10. */
  readonly perUser?: number;
  /** Space of each mailbox, KiB; default: it tells none. */
  readonly quotaKib?: number;
  /** Users may share folders with others, who see them below `shared.<login>`. */
  readonly sharesFolders?: boolean;
  /** URL that its push notification plug-in tells of new mails, with credentials; for users whose metadata ask for it. */
  readonly notifyUrl?: string;
  /** Users log in with access tokens, too: JWT signed by HS256 with this secret; `sub` is the login. */
  readonly tokens?: { readonly mechanism: 'xoauth2' | 'oauthbearer'; readonly secret: string };
  /** Rules sort the mails that are delivered, and ManageSieve changes them. */
  readonly sieve?: SieveOptions;
}

/** Options of the rules of a mail server of a test. */
export interface SieveOptions {
  /** Port to which it hands over redirected mails and automatic answers. */
  readonly submissionPort?: number;
  /** Extensions that scripts may use, `+` and `-` with what it knows by itself. */
  readonly extensions?: string;
  /** Most bytes of a script. */
  readonly maxScriptBytes?: number;
  /** Most redirected mails of one run. */
  readonly maxRedirects?: number;
  /** Master user, who may log in as any user. */
  readonly master?: { readonly login: string; readonly password: string };
}

/** A running mail server. */
export interface Dovecot {
  readonly imap: number;
  readonly imaps: number;
  readonly pop3: number;
  readonly pop3s: number;
  /** Port of ManageSieve; 0: none. */
  readonly sieve: number;
  /** Port of LMTP; 0: none. */
  readonly lmtp: number;
  /** Folder with the maildir of each user: `<login>/mails`. */
  readonly homes: string;
  /** Delivers a mail as a mail transfer agent would. */
  deliver(login: string, mail: string): Promise<void>;
  /** Delivers a mail by LMTP: an exchange like that of a server, in which rules see sender and receiver. */
  receive(envelope: { readonly from: string; readonly to: string }, mail: string): Promise<void>;
  /** Changes the password of a user, to one of another length: Dovecot notices it by the size of a file, once a second. */
  setPassword(login: string, password: string): Promise<void>;
  /** Reads what it logged so far. */
  log(): string;
  stop(): Promise<void>;
}

const START_MS = 10_000;

/**
 * Starts a Dovecot on loopback with users, folders and ports of its own, from the programs that `npm test` found
 * (`DOVECOT_ROOT`).
 */
export async function startDovecot(options: DovecotOptions): Promise<Dovecot> {
  for (let attempt = 1; ; attempt++)
    try {
      return await startOnce(options);
    } catch (error) {
      // Another process may have taken one of the ports meanwhile.
      if (attempt === 3) throw error;
    }
}

async function startOnce(options: DovecotOptions): Promise<Dovecot> {
  const root = process.env.DOVECOT_ROOT;
  if (!root) throw new Error(`there is no Dovecot: ${process.env.DOVECOT_MISSING ?? 'DOVECOT_ROOT is not set'}`);
  const base = mkdtempSync(path.join(os.tmpdir(), 'dovecot-'));
  chmodSync(base, 0o711);
  for (const name of ['run', 'mail', 'state']) mkdirSync(path.join(base, name));
  const isRoot = process.getuid?.() === 0;
  const idOf = (flag: string) =>
    execFileSync('id', [flag, ...(isRoot ? ['nobody'] : [])])
      .toString()
      .trim();
  const account = { name: idOf('-un'), group: idOf('-gn'), uid: Number(idOf('-u')), gid: Number(idOf('-g')) };
  if (isRoot) for (const name of ['mail', 'state']) chownSync(path.join(base, name), account.uid, account.gid);

  const lib = path.join(root, 'usr/lib/dovecot');
  // These are looked for below the folder the programs run in.
  const sought = [path.join(lib, 'modules'), path.join(lib, 'managesieve'), path.join(root, 'usr/bin/doveconf')];
  for (const place of sought) symlinkSync(place, path.join(base, 'run', path.basename(place)));
  // A user that no other server has: a server that lets it in must be ours.
  const probe = [`probe-${randomBytes(6).toString('hex')}`, 'probe'] as const;
  const users = new Map([...Object.entries(options.users ?? { ann: 'secret' }), probe]);
  const file = (name: string, content: string, mode = 0o644) => {
    writeFileSync(path.join(base, name), content, { mode });
    return path.join(base, name);
  };
  const writeUsers = () =>
    file('passwd', [...users].map(([login, password]) => `${login}:{PLAIN}${password}\n`).join(''));
  writeUsers();
  if (options.tokens) {
    mkdirSync(path.join(base, 'keys/default/HS256'), { recursive: true });
    file('keys/default/HS256/default', Buffer.from(options.tokens.secret).toString('base64'));
    file('oauth2.conf', tokenCheck(base));
  }
  file('cert.pem', options.certificate.cert);
  file('key.pem', options.certificate.key, 0o600);
  const master = options.sieve?.master;
  file('masters', master ? `${master.login}:{PLAIN}${master.password}\n` : '');
  const free = await findFreePorts(options.sieve ? 6 : 4);
  const [imap, imaps, pop3, pop3s] = free as [number, number, number, number];
  const [sieve = 0, lmtp = 0] = free.slice(4);
  const ports = { imap, imaps, pop3, pop3s, sieve, lmtp };
  const config = file('dovecot.conf', configOf({ base, lib, account, isRoot, options, ...ports }));

  const libraries = ['usr/lib', 'usr/lib/x86_64-linux-gnu', 'usr/lib/aarch64-linux-gnu', 'lib', 'usr/lib/dovecot'];
  const environment = {
    ...process.env,
    LD_LIBRARY_PATH: libraries.map((folder) => path.join(root, folder)).join(':'),
  };
  const child = spawn(
    path.join(root, 'usr/bin/doveconf'),
    // The main program would look for doveconf where the package installs it; this way round it need not.
    [
      '-f',
      'service=master',
      '-c',
      config,
      '-m',
      'master',
      '-p',
      '-e',
      path.join(root, 'usr/sbin/dovecot'),
      '-F',
      '-c',
      config,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'], env: environment, cwd: path.join(base, 'run') },
  );
  const end = () => child.kill('SIGTERM');
  process.once('exit', end);
  const log = () => readFileSync(path.join(base, 'dovecot.log'), { encoding: 'utf8', flag: 'a+' });
  const deadline = Date.now() + START_MS;
  while (!(await canLogIn(imap, probe))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      end();
      throw new Error(`Dovecot did not start: ${log()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    ...ports,
    homes: path.join(base, 'mail'),
    deliver: (login, mail) => {
      const program = [path.join(lib, 'dovecot-lda'), '-c', config, '-d', login];
      const args = ['-f', 'service=lda', '-c', config, '-m', 'lda', '-p', '-e', ...program];
      return new Promise((resolve, reject) => {
        // Not synchronously: Dovecot may notify a server in this very process, and waits for its answer.
        const agent = execFile(
          path.join(root, 'usr/bin/doveconf'),
          args,
          { env: environment, cwd: path.join(base, 'run') },
          (error) => (error ? reject(error) : resolve()),
        );
        agent.stdin!.end(mail);
      });
    },
    receive: ({ from, to }, mail) =>
      converse(lmtp, [
        'LHLO test',
        `MAIL FROM:<${from}>`,
        `RCPT TO:<${to}>`,
        'DATA',
        `${mail.replace(/\r?\n/g, '\r\n').replace(/^\./gm, '..')}\r\n.`,
        'QUIT',
      ]),
    setPassword: async (login, password) => {
      users.set(login, password);
      writeUsers();
      while (!(await canLogIn(imap, [login, password]))) await new Promise((resolve) => setTimeout(resolve, 50));
    },
    log,
    stop: async () => {
      process.off('exit', end);
      if (child.exitCode === null) {
        const gone = new Promise((resolve) => child.once('exit', resolve));
        end();
        await gone;
      }
      rmSync(base, { recursive: true, force: true });
    },
  };
}

interface ConfigParts {
  readonly base: string;
  readonly lib: string;
  readonly account: { readonly name: string; readonly group: string; readonly uid: number; readonly gid: number };
  readonly isRoot: boolean;
  readonly options: DovecotOptions;
  readonly imap: number;
  readonly imaps: number;
  readonly pop3: number;
  readonly pop3s: number;
  readonly sieve: number;
  readonly lmtp: number;
}

function configOf({ base, lib, account, isRoot, options, imap, imaps, pop3, pop3s, sieve, lmtp }: ConfigParts): string {
  const chroot = isRoot ? '' : 'chroot ='; // only root may
  const listener = (name: string, port: number, ssl: boolean) => `
    inet_listener ${name} {
      port = ${port}
      ${ssl ? 'ssl = yes' : ''}
    }`;
  const mailbox = (name: string) => `
    mailbox ${name} {
      special_use = \\${name}
      auto = subscribe
    }`;
  return `
base_dir = ${base}/run
state_dir = ${base}/state
libexec_dir = ${lib}
mail_plugin_dir = ${lib}/modules
login_plugin_dir = ${lib}/modules/login
import_environment = TZ LD_LIBRARY_PATH
protocols = imap pop3 ${options.sieve ? 'sieve lmtp' : ''}
listen = 127.0.0.1
log_path = ${base}/dovecot.log
ssl = yes
ssl_cert = <${base}/cert.pem
ssl_key = <${base}/key.pem
disable_plaintext_auth = no
auth_mechanisms = plain login ${options.tokens?.mechanism ?? ''}
auth_failure_delay = 0
first_valid_uid = 1
# Not the home itself: what Dovecot keeps there would be taken for mailboxes.
mail_location = maildir:~/mails
${options.notifyUrl ? notifications(options.notifyUrl) : ''}
${options.quotaKib ? quotaOf(options.quotaKib) : ''}
${options.sharesFolders ? sharedFolders(base) : ''}
mail_max_userip_connections = ${options.perUser ?? 10}
default_internal_user = ${account.name}
default_login_user = ${account.name}
default_internal_group = ${account.group}
${options.tokens ? tokenPassdb(base, options.tokens.mechanism) : ''}
passdb {
  driver = passwd-file
  args = scheme=PLAIN username_format=%u ${base}/passwd
}
userdb {
  driver = static
  args = uid=${account.uid} gid=${account.gid} home=${base}/mail/%u
}
namespace inbox {
  inbox = yes
  separator = .
  ${['Sent', 'Drafts', 'Trash', 'Junk', 'Archive'].map(mailbox).join('')}
}
service imap-login {
  ${chroot}
  service_count = 0
  ${listener('imap', imap, false)}
  ${listener('imaps', imaps, true)}
}
service pop3-login {
  ${chroot}
  service_count = 0
  ${listener('pop3', pop3, false)}
  ${listener('pop3s', pop3s, true)}
}
${options.sieve ? rulesOf(options.sieve, { base, chroot, sieve: listener('sieve', sieve, false), lmtp: listener('lmtp', lmtp, false) }) : ''}
service anvil {
  ${chroot}
  # Refusals would come later with every wrong password of the tests.
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
`;
}

interface RuleParts {
  readonly base: string;
  readonly chroot: string;
  readonly sieve: string;
  readonly lmtp: string;
}

const rulesOf = (options: SieveOptions, { base, chroot, sieve, lmtp }: RuleParts): string => `
service managesieve-login {
  ${chroot}
  service_count = 0
  ${sieve}
}
service lmtp {
  ${lmtp}
}
protocol lmtp {
  mail_plugins = $mail_plugins sieve
}
protocol lda {
  mail_plugins = $mail_plugins sieve
}
postmaster_address = postmaster@mail.test
submission_host = 127.0.0.1:${options.submissionPort ?? 9}
lda_mailbox_autocreate = yes
plugin {
  sieve = file:%h/sieve;active=%h/active.sieve
  ${options.extensions ? `sieve_extensions = ${options.extensions}` : ''}
  ${options.maxScriptBytes ? `sieve_max_script_size = ${options.maxScriptBytes}` : ''}
  ${options.maxRedirects ? `sieve_max_redirects = ${options.maxRedirects}` : ''}
}
${
  options.master
    ? `
passdb {
  driver = passwd-file
  master = yes
  args = scheme=PLAIN username_format=%u ${base}/masters
}`
    : ''
}
`;

const tokenPassdb = (base: string, mechanism: string): string => `
passdb {
  driver = oauth2
  mechanisms = ${mechanism}
  args = ${base}/oauth2.conf
}
`;

const tokenCheck = (base: string): string => `
introspection_mode = local
local_validation_key_dict = fs:posix:prefix=${base}/keys/
username_attribute = sub
`;

const quotaOf = (kib: number): string => `
mail_plugins = $mail_plugins quota
protocol imap {
  mail_plugins = $mail_plugins quota imap_quota
}
plugin {
  quota = count:User quota
  quota_rule = *:storage=${kib}K
  quota_vsizes = yes
}
`;

const sharedFolders = (base: string): string => `
mail_plugins = $mail_plugins acl
protocol imap {
  mail_plugins = $mail_plugins acl imap_acl
}
plugin {
  acl = vfile::cache_secs=0
  acl_anyone = allow
  acl_shared_dict = file:${base}/mail/shared-mailboxes
}
namespace shared {
  type = shared
  separator = .
  prefix = shared.%%u.
  location = maildir:%%h/mails
  subscriptions = no
  list = children
}
`;

const notifications = (url: string): string => `
mail_plugins = notify push_notification
mail_attribute_dict = file:%h/dovecot-attributes
protocol imap {
  imap_metadata = yes
}
plugin {
  push_notification_driver = ox:url=${url.replaceAll('%', '%%')}
}
`;

/** The port opens before the rest is ready, so only a log-in tells. */
const canLogIn = (port: number, [login, password]: readonly [string, string]): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () =>
      socket.write(`a LOGIN "${login}" "${password}"\r\nb LOGOUT\r\n`),
    );
    let said = '';
    socket.on('data', (data) => (said += String(data)));
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(said.includes('\na OK')));
  });

/** Says one line after the other, each once the one before was answered. @throws what was refused */
const converse = (port: number, lines: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = createConnection(port, '127.0.0.1');
    let next = 0;
    let said = '';
    socket.on('data', (data) => {
      said += String(data);
      const answer = /^(\d)\d\d (.*)\r\n$/m.exec(said);
      if (!answer) return;
      said = '';
      if (answer[1] === '4' || answer[1] === '5') socket.destroy(new Error(`${lines[next - 1]}: ${answer[0]}`));
      else if (next < lines.length) socket.write(`${lines[next++]}\r\n`);
      else socket.end();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve());
  });
