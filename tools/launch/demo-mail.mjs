import fs from 'node:fs';
import path from 'node:path';
import { writePrivateFile } from '../services/credentials.mjs';
import { MAIL_HOST, mailServer } from '../services/mail-server.mjs';

const KEY = 'com.example.mail.mailServer';
const PASSWORD = 'MAIL_ACCOUNT_GLOBAL_PASSWORD';
/** The server of mails of the system; without it, submission takes them with this login. */
const OUTGOING = 'OUTGOING_MAIL_HOST';
const SYSTEM = 'groupware';
/** The default of MAIL_PORTS: ports of mail servers elsewhere stay allowed. */
const MAIL_PORTS = '25,110,143,465,587,993,995,2525,4190';
const off = { env: {}, stop: async () => {} };

/**
 * Gives the people of the demonstration mailboxes, unless a mail server is configured: starts one with a submission of its
 * own, puts some mails into it the first time, and makes it the server of primary accounts and of mails of the system.
 * @param {{ dataDir: string, env: Record<string, string> }} settings of `npm start`
 * @param {{ programsDir: string, people: readonly { name: string, address: string }[], say: (text: string) => void }} options
 * @returns {Promise<{ env: Record<string, string>, stop: () => Promise<void> }>} env: for the host
 */
export async function demoMail({ dataDir, env }, { programsDir, people, say }) {
  const password = env[PASSWORD];
  if (env.GROUPWARE_DEMO !== 'true') return off;
  if (!password || isMailConfigured(process.env)) {
    say('mail: a server is configured, none is started');
    return off;
  }
  const logins = people.map(({ address }) => address);
  const system = `${SYSTEM}@${logins[0]?.split('@')[1]}`;
  const began = performance.now();
  let server;
  let entrance;
  const stop = async () => {
    await entrance?.stop();
    await server?.stop();
  };
  try {
    // Packages: the launcher itself runs before they are installed.
    const { submission } = await import('../services/submission.mjs');
    server = await mailServer({ dataDir, programsDir, password, logins, say });
    entrance = await submission({ host: MAIL_HOST, password, logins, senders: [system], deliver: server.deliver, say });
    const filled = path.join(dataDir, 'mailboxes.filled');
    if (!fs.existsSync(filled)) {
      const { fillMailboxes } = await import('./demo-mails.mjs');
      await fillMailboxes({ host: MAIL_HOST, port: server.imap, password }, people);
      fs.writeFileSync(filled, '');
    }
    say(`dovecot: ${server.how} (${Math.round(performance.now() - began)} ms)`);
    return {
      env: { ...hostSettings(dataDir, server, entrance), ...outgoingSettings(entrance, system, password) },
      stop,
    };
  } catch (error) {
    await stop();
    say(`mail is off: ${error.message}`);
    say(
      `a mail server that runs elsewhere: GROUPWARE_PROPERTY_${variableOf(KEY)}=imaps://host:993, see docs/how-to/operate.md`,
    );
    return off;
  }
}

const variableOf = (key) => key.toUpperCase().replace(/[^A-Z0-9]/g, '_');

/** Whether the operator says where mailboxes are, or (with an empty value) that there are none. */
export function isMailConfigured(environment) {
  const names = [KEY, variableOf(KEY)].flatMap((name) => [name, `${name}_FILE`]);
  if (names.some((name) => environment[`GROUPWARE_PROPERTY_${name}`] !== undefined)) return true;
  const places = [environment.GROUPWARE_PROPERTIES_FILE, environment.GROUPWARE_SECRETS].flatMap(listOf);
  return places.flatMap(filesAt).some((file) => path.basename(file) === KEY || namesServer(file));
}

const listOf = (text = '') =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);

function filesAt(place) {
  if (!fs.statSync(place, { throwIfNoEntry: false })?.isDirectory()) return [place];
  return fs.readdirSync(place).map((name) => path.join(place, name));
}

/** Files that cannot be read are a matter of the host, which says so. */
function namesServer(file) {
  try {
    return new RegExp(`^\\s*["']?${KEY.replaceAll('.', '\\.')}["']?\\s*[=:]`, 'm').test(fs.readFileSync(file, 'utf8'));
  } catch {
    return false;
  }
}

/** Writes settings of the host: properties of the lowest rank of the server scope, so that each can be said otherwise. */
function hostSettings(dataDir, server, entrance) {
  const file = path.join(dataDir, 'mail.properties');
  const properties = {
    [KEY]: `imap://${MAIL_HOST}:${server.imap}`,
    'com.example.mail.transportServer': `smtp://${MAIL_HOST}:${entrance.port}`,
    'com.example.mail.passwordSource': 'global',
    'com.example.mail.filter.port': server.sieve,
  };
  writePrivateFile(
    file,
    Object.entries(properties)
      .map(([key, value]) => `${key}=${value}\n`)
      .join(''),
  );
  const { GROUPWARE_PROPERTIES_FILE: files, GROUPWARE_OUTBOUND_ALLOW: allowed, MAIL_PORTS: ports } = process.env;
  return {
    GROUPWARE_PROPERTIES_FILE: [file, ...listOf(files)].join(','),
    GROUPWARE_OUTBOUND_ALLOW: [...listOf(allowed), MAIL_HOST].join(','),
    MAIL_PORTS: [...listOf(ports || MAIL_PORTS), server.imap, entrance.port, server.sieve].join(','),
  };
}

/** Settings for mails of the system, unless the operator has a server for them. */
const outgoingSettings = ({ port }, system, password) =>
  process.env[OUTGOING] === undefined
    ? {
        [OUTGOING]: MAIL_HOST,
        OUTGOING_MAIL_PORT: String(port),
        OUTGOING_MAIL_PROTECTION: 'offered',
        OUTGOING_MAIL_LOGIN: system,
        OUTGOING_MAIL_PASSWORD: password,
        OUTGOING_MAIL_FROM: system,
      }
    : {};
