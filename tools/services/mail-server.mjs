import { execFile, execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { createConnection } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { findDovecot } from './dovecot.mjs';
import { managedServer } from './managed-server.mjs';
import { readNote } from './notes.mjs';
import { own } from './processes.mjs';
import { isRoot } from './programs.mjs';
import { freePort, onFreePort, untilReady } from './readiness.mjs';
import { reachableHome } from './postgres.mjs';
import { openLog } from './small-server.mjs';

/**
 * Address of our mail server: one of this machine that nothing else uses, so that the services may be allowed to
 * connect to it without being allowed to reach the other programs of the machine.
 */
export const MAIL_HOST = '127.94.0.1';

const NAME = 'dovecot';
const SPECIAL = ['Sent', 'Drafts', 'Trash', 'Junk', 'Archive'];

/**
 * Starts a Dovecot with mailboxes on loopback: IMAP, and ManageSieve for rules. Mails come in by `deliver` only: there is no
 * port that takes them.
 * @param {{ dataDir: string, programsDir: string, password: string, logins: readonly string[], say?: (text: string) => void }}
 *   options password: of all mailboxes; say: see {@link managedServer}
 * @returns {Promise<{ how: string, imap: number, sieve: number, deliver: (mail: { from: string, to: string, text: Buffer }) =>
 *   Promise<void>, stop: () => Promise<void> }>}
 * @throws when there is no Dovecot, with the ways out
 */
export async function mailServer({ dataDir, programsDir, password, logins, say }) {
  const { root, how } = await findDovecot({ programsDir, dataDir });
  const left = readNote(dataDir, NAME);
  if (left && !left.orphan) throw new Error('another launcher runs the mail server of this data folder');
  if (left) await own(left.process.pid, 'SIGTERM')();

  const account = accountOfMailboxes();
  const lib = path.join(root, 'usr/lib/dovecot');
  const folder = path.join(reachableHome(dataDir), 'mail');
  ownFolder(folder, account);
  const base = runFolder(dataDir, root, lib, account);
  const config = path.join(base, 'dovecot.conf');
  const env = { PATH: process.env.PATH, LD_LIBRARY_PATH: librariesOf(root), TZ: 'UTC' };
  const throughConfig = (service, program) => [
    ...['-f', `service=${service}`, '-c', config, '-m', service, '-p', '-e', ...program],
  ];
  const doveconf = path.join(root, 'usr/bin/doveconf');
  writeOwned(path.join(base, 'passwd'), passwdOf(logins, password, folder, account), account, 0o400);
  writeOwned(path.join(base, 'sendmail'), sendmailOf({ base, config, lib, doveconf, env }), account, 0o500);

  const sieve = await freePort();
  const launch = async (imap) => {
    fs.writeFileSync(config, configOf({ base, folder, lib, account, imap, sieve }), { mode: 0o644 });
    const log = openLog(dataDir, NAME);
    const master = [path.join(root, 'usr/sbin/dovecot'), '-F', '-c', config];
    // The main program would look for doveconf where its package installs it; this way round it need not.
    const child = spawn(doveconf, throughConfig('master', master), {
      ...{ env, cwd: path.join(base, 'run') },
      // A group of its own: Ctrl-C must reach the servers after the programs that use them.
      ...{ stdio: ['ignore', log, log], detached: true },
    });
    fs.closeSync(log);
    child.unref();
    const end = child.pid ? own(child.pid, 'SIGTERM') : async () => {};
    try {
      await untilReady(() => canLogIn(imap, logins[0], password), child, 20_000);
    } catch (error) {
      await end();
      throw new Error(`${error.message}; see ${path.join(dataDir, `${NAME}.log`)}`, { cause: error });
    }
    return child.pid;
  };
  return onFreePort(async (imap) => {
    const server = managedServer({
      ...{ dataDir, name: NAME, pid: await launch(imap), port: imap, launch, signals: ['SIGTERM'] },
      say,
    });
    return {
      ...{ how, imap, sieve },
      deliver: ({ from, to, text }) => {
        const program = [path.join(lib, 'dovecot-lda'), '-c', config, '-f', from, '-d', to];
        return new Promise((resolve, reject) => {
          const agent = execFile(
            doveconf,
            throughConfig('lda', program),
            { env, cwd: path.join(base, 'run') },
            (error) => (error ? reject(error) : resolve()),
          );
          agent.stdin.on('error', () => {}); // it ended before: its exit says so
          agent.stdin.end(text);
        });
      },
      stop: async () => {
        await server.stop();
        fs.rmSync(path.join(dataDir, RUN_LINK), { force: true });
        fs.rmSync(base, { recursive: true, force: true });
      },
    };
  });
}

/** The account that the processes of mailboxes run as: our own, or, for root, one that may do nothing else. */
function accountOfMailboxes() {
  const ask = (what) => execFileSync('id', [what, ...(isRoot ? ['nobody'] : [])], { encoding: 'utf8' }).trim();
  return { name: ask('-un'), group: ask('-gn'), uid: Number(ask('-u')), gid: Number(ask('-g')) };
}

const RUN_LINK = 'dovecot-run';

/** The folder of its sockets: its path must be short (sockets have room for 107 bytes), so the data folder holds a link. */
function runFolder(dataDir, root, lib, account) {
  const link = path.join(dataDir, RUN_LINK);
  if (fs.existsSync(link)) fs.rmSync(fs.realpathSync(link), { recursive: true, force: true });
  fs.rmSync(link, { force: true });
  const base = fs.mkdtempSync(path.join(os.tmpdir(), 'groupware-mail-'));
  fs.symlinkSync(base, link);
  fs.chmodSync(base, 0o711);
  fs.mkdirSync(path.join(base, 'run'));
  ownFolder(path.join(base, 'state'), account);
  // These are looked for below the folder that the programs run in.
  for (const place of [path.join(lib, 'modules'), path.join(lib, 'managesieve'), path.join(root, 'usr/bin/doveconf')])
    fs.symlinkSync(place, path.join(base, 'run', path.basename(place)));
  return base;
}

function ownFolder(folder, { uid, gid }) {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (isRoot) fs.chownSync(folder, uid, gid);
}

function writeOwned(file, text, { uid, gid }, mode) {
  fs.writeFileSync(file, text, { mode });
  if (isRoot) fs.chownSync(file, uid, gid);
}

const librariesOf = (root) =>
  ['usr/lib', 'usr/lib/x86_64-linux-gnu', 'usr/lib/aarch64-linux-gnu', 'lib', 'usr/lib/dovecot']
    .map((folder) => path.join(root, folder))
    .join(':');

/** Logins with a salted hash of the password: it stands in no file but the one of our secrets. */
function passwdOf(logins, password, folder, { uid, gid }) {
  const salt = randomBytes(16);
  const hash = createHash('sha256').update(password).update(salt).digest();
  const sealed = Buffer.concat([hash, salt]).toString('base64');
  return logins.map((login) => `${login}:{SSHA256}${sealed}:${uid}:${gid}::${folder}/${login}::\n`).join('');
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** Writes the program for what rules send on: to mailboxes of this server only. Runs as the account of the mailboxes. */
const sendmailOf = ({ base, config, lib, doveconf, env }) => `#!/bin/sh
# sendmail -i -f <sender> -- <recipient> …
sender=
while [ $# -gt 0 ]; do
  case "$1" in
    --) shift; break ;;
    -f) sender=$2; shift 2 ;;
    *) shift ;;
  esac
done
export LD_LIBRARY_PATH=${quoted(env.LD_LIBRARY_PATH)}
cd ${quoted(path.join(base, 'run'))} || exit 75
mail=$(mktemp ${quoted(path.join(base, 'state', 'mail-XXXXXX'))}) || exit 75
trap 'rm -f "$mail"' EXIT
cat > "$mail"
for to; do
  ${quoted(doveconf)} -f service=lda -c ${quoted(config)} -m lda -p -e ${quoted(path.join(lib, 'dovecot-lda'))} \\
    -c ${quoted(config)} -f "$sender" -d "$to" < "$mail" || exit $?
done
`;

function configOf({ base, folder, lib, account, imap, sieve }) {
  const chroot = isRoot ? '' : 'chroot ='; // only root may
  const login = (service, name, port) => `
service ${service} {
  ${chroot}
  service_count = 0
  inet_listener ${name} {
    port = ${port}
  }
  ${name === 'imap' ? 'inet_listener imaps {\n    port = 0\n  }' : ''}
}`;
  return `
base_dir = ${base}/run
state_dir = ${base}/state
libexec_dir = ${lib}
mail_plugin_dir = ${lib}/modules
login_plugin_dir = ${lib}/modules/login
import_environment = TZ LD_LIBRARY_PATH
protocols = imap sieve
listen = ${MAIL_HOST}
log_path = /dev/stderr
ssl = no
disable_plaintext_auth = no
auth_mechanisms = plain login
first_valid_uid = 1
mail_home = ${folder}/%u
mail_location = maildir:~/mails
mail_max_userip_connections = 20
default_internal_user = ${account.name}
default_login_user = ${account.name}
default_internal_group = ${account.group}
postmaster_address = postmaster@localhost
sendmail_path = ${base}/sendmail
passdb {
  driver = passwd-file
  args = username_format=%u ${base}/passwd
}
userdb {
  driver = passwd-file
  args = username_format=%u ${base}/passwd
}
namespace inbox {
  inbox = yes
  ${SPECIAL.map((name) => `mailbox ${name} {\n    special_use = \\${name}\n    auto = subscribe\n  }`).join('\n  ')}
}
${login('imap-login', 'imap', imap)}
${login('managesieve-login', 'sieve', sieve)}
service anvil {
  ${chroot}
}
protocol lda {
  mail_plugins = $mail_plugins sieve
}
plugin {
  sieve = file:~/sieve;active=~/active.sieve
}
`;
}

/** The port opens before the rest is ready, so only a log-in tells. */
const canLogIn = (port, login, password) =>
  new Promise((resolve) => {
    const socket = createConnection(port, MAIL_HOST, () =>
      socket.write(`a LOGIN "${login}" "${password}"\r\nb LOGOUT\r\n`),
    );
    let said = '';
    socket.setTimeout(5_000, () => socket.destroy());
    socket.on('data', (data) => (said += String(data)));
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(said.includes('\na OK')));
  });
