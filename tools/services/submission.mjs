import { timingSafeEqual } from 'node:crypto';
import { SMTPServer } from 'smtp-server';

/** Largest mail, bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_RECIPIENTS = 100;
const MAX_CLIENTS = 50;

const refusal = (responseCode, text) => Object.assign(new Error(text), { responseCode });

/**
 * Takes mails of those who have a mailbox, and puts them into the mailboxes of their recipients: nothing leaves the machine.
 * Lives in the process of the launcher and ends with it.
 * @param {{ host: string, password: string, logins: readonly string[], senders: readonly string[], deliver: (mail: { from: string,
 *   to: string, text: Buffer }) => Promise<void>, say: (text: string) => void }} options logins: addresses with a mailbox;
 *   senders: logins without one; password: of all
 * @returns {Promise<{ port: number, stop: () => Promise<void> }>}
 */
export async function submission({ host, password, logins, senders, deliver, say }) {
  const known = new Set(logins);
  const allowed = new Set([...logins, ...senders]);
  const server = new SMTPServer({
    ...{ disabledCommands: ['STARTTLS'], allowInsecureAuth: true, authMethods: ['PLAIN', 'LOGIN'], logger: false },
    ...{ size: MAX_BYTES, maxClients: MAX_CLIENTS, disableReverseLookup: true },
    onAuth: ({ username, password: told }, _session, done) => {
      const isRight = allowed.has(String(username).toLowerCase()) && isSame(String(told), password);
      return isRight ? done(null, { user: username }) : done(refusal(535, 'Wrong login or password'));
    },
    onRcptTo: ({ address }, { envelope }, done) => {
      if (envelope.rcptTo.length >= MAX_RECIPIENTS) return done(refusal(452, 'Too many recipients'));
      return known.has(address.toLowerCase())
        ? done()
        : done(refusal(550, 'No such mailbox here, and mails do not leave this machine'));
    },
    onData: (stream, { envelope }, done) => {
      const parts = [];
      stream.on('data', (part) => {
        if (!stream.sizeExceeded) parts.push(part);
      });
      stream.on('end', async () => {
        if (stream.sizeExceeded) return done(refusal(552, 'The mail is too large'));
        const from = envelope.mailFrom ? envelope.mailFrom.address : '';
        const text = Buffer.concat(parts);
        let delivered = 0;
        for (const { address } of envelope.rcptTo)
          try {
            await deliver({ from, to: address.toLowerCase(), text });
            delivered += 1;
          } catch (error) {
            say(`a mail could not be delivered to ${address}: ${error.message}`);
          }
        // A failure would make the sender repeat it: those who have it would get it twice.
        return delivered > 0 ? done(null, 'Delivered') : done(refusal(451, 'The mail could not be delivered'));
      });
    },
  });
  server.on('error', (error) => say(`submission of mails: ${error.message}`));
  await new Promise((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(0, host, resolve);
  });
  return {
    port: server.server.address().port,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function isSame(told, password) {
  const [left, right] = [Buffer.from(told), Buffer.from(password)];
  return left.length === right.length && timingSafeEqual(left, right);
}
