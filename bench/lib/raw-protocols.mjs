import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import { MAIL_HOST, MAIL_PASSWORD } from './mail-servers.mjs';

/** A connection that says a command and waits for the end of the answer, which it does not read. */
class RawConnection {
  chunks = [];
  tail = '';

  /** @param {(tail: string) => boolean} isEnd of an answer, by its last bytes */
  constructor(socket, isEnd) {
    this.socket = socket;
    this.isEnd = isEnd;
    socket.on('data', (chunk) => this.take(chunk));
    socket.on('error', (error) => this.reject?.(error));
    socket.on('close', () => this.reject?.(new Error('the server hung up')));
  }

  take(chunk) {
    this.chunks.push(chunk);
    this.tail = (this.tail + chunk.toString('latin1')).slice(-1_000);
    if (!this.isEnd(this.tail)) return;
    const said = Buffer.concat(this.chunks.splice(0));
    this.tail = '';
    this.resolve?.(said);
  }

  /** The next answer. */
  next() {
    return new Promise((resolve, reject) => Object.assign(this, { resolve, reject }));
  }

  async say(text) {
    const answer = this.next();
    this.socket.write(text);
    return answer;
  }

  close() {
    this.socket.destroy();
  }
}

/** The least client of a mailbox. */
export class RawImap extends RawConnection {
  static async open({ port, ca, login }) {
    const socket = tls.connect({ port, host: '127.0.0.1', ca, servername: MAIL_HOST });
    await once(socket, 'secureConnect');
    // The greeting, then the end of the answer to a command.
    const client = new RawImap(socket, (tail) => /^(\* OK|x (OK|NO|BAD)) [^\r]*\r\n$/m.test(lastLine(tail)));
    await client.next();
    await client.ask(`LOGIN "${login}" "${MAIL_PASSWORD}"`);
    return client;
  }

  /** @throws unless the server does it */
  async ask(command) {
    const said = await this.say(`x ${command}\r\n`);
    const end = lastLine(said.subarray(-1_000).toString('latin1'));
    if (!end.startsWith('x OK')) throw new Error(`${command}: ${end}`);
    return said;
  }

  /** Ids in the order of a SORT. */
  async sort(key) {
    const said = await this.ask(`UID SORT (${key}) UTF-8 ALL`);
    return said.toString('latin1', '* SORT '.length, said.indexOf('\r\n')).split(' ');
  }
}

const lastLine = (text) => text.slice(text.lastIndexOf('\r\n', text.length - 3) + 1).replace(/^\n/, '');

/** The least client of the rules of a mailbox, which logs in and asks for the active script. */
export class RawSieve extends RawConnection {
  static async open({ port, ca, login }) {
    const plain = net.connect(port, '127.0.0.1');
    const isEnd = (tail) => /^(OK|NO|BYE)\b[^\r]*\r\n$/.test(lastLine(tail));
    const greeting = new RawConnection(plain, isEnd);
    await greeting.next();
    await greeting.say('STARTTLS\r\n');
    plain.removeAllListeners('data');
    const socket = tls.connect({ socket: plain, ca, servername: MAIL_HOST });
    const client = new RawSieve(socket, isEnd);
    // It tells its capabilities again.
    await client.next();
    await client.ask(`AUTHENTICATE "PLAIN" "${Buffer.from(`\0${login}\0${MAIL_PASSWORD}`).toString('base64')}"`);
    return client;
  }

  /** @throws unless the server does it */
  async ask(command) {
    const said = await this.say(`${command}\r\n`);
    const end = lastLine(said.subarray(-1_000).toString('latin1'));
    if (!end.startsWith('OK')) throw new Error(`${command.slice(0, 60)}: ${end}`);
    return said;
  }
}

/** Logs in, and reads the script that is active. */
export async function readActiveScript(server) {
  const client = await RawSieve.open(server);
  const scripts = (await client.ask('LISTSCRIPTS')).toString();
  const script = await client.ask(`GETSCRIPT ${/^(".*") ACTIVE/m.exec(scripts)[1]}`);
  client.close();
  return script.toString();
}
