import { createConnection, type Socket } from 'node:net';
import type { ScanResult, VirusScanner } from './virus-scanner';

/** How to reach clamd. */
export interface ClamdSettings {
  /** `tcp://host:port` or `unix:///path`. */
  readonly url: string;
  /** `StreamMaxLength` of clamd, bytes. */
  readonly maxBytes: number;
  /** Longest silence, ms. */
  readonly patienceMs: number;
}

/** Longest answer that is read, bytes: names of signatures are short. */
const MAX_ANSWER = 4096;
/** Largest piece sent at once, bytes. */
const MAX_CHUNK = 256 * 1024;
/** The version of the signatures is asked again after so long, ms. */
const SIGNATURES_LIFE_MS = 10_000;

/** The scanner did not answer, or not as its protocol says. */
class ScannerFailure extends Error {
  override readonly name = 'ScannerFailure';
}

/** One conversation with clamd: commands begin with `z` and end with a zero byte, answers as well. */
class Conversation {
  private readonly socket: Socket;
  readonly answer: Promise<string>;
  /** Answered, or gone: more bytes would be in vain. */
  private isOver = false;

  constructor({ url, patienceMs }: ClamdSettings) {
    const { protocol, hostname, port, pathname } = new URL(url);
    this.socket =
      protocol === 'unix:'
        ? createConnection(pathname)
        : createConnection(Number(port), hostname.replace(/^\[|\]$/g, ''));
    this.socket.setTimeout(patienceMs, () => this.socket.destroy(new ScannerFailure('the scanner is silent')));
    this.answer = this.read();
    // The sender learns of a failure from the answer, also when it comes first.
    const over = (): void => {
      this.isOver = true;
      // Wakes up a sender that waits for the socket.
      this.socket.emit('drain');
    };
    this.answer.then(over, over);
  }

  private read(): Promise<string> {
    return new Promise((resolve, reject) => {
      let text = '';
      this.socket.on('data', (data: Buffer) => {
        text += data.toString('latin1');
        const end = text.indexOf('\0');
        if (end >= 0) resolve(text.slice(0, end));
        else if (text.length > MAX_ANSWER) this.socket.destroy(new ScannerFailure('the answer is too long'));
      });
      this.socket.on('error', reject);
      this.socket.on('close', () => reject(new ScannerFailure('the scanner closed the connection')));
    });
  }

  /** Sends bytes; false when the scanner has answered or gone, so that more would be in vain. */
  async send(bytes: Uint8Array | string): Promise<boolean> {
    if (this.isOver || this.socket.destroyed) return false;
    if (!this.socket.write(bytes)) await new Promise<void>((resolve) => this.socket.once('drain', resolve));
    return !this.isOver;
  }

  close(): void {
    this.socket.destroy();
  }
}

/** ClamAV over the socket of its daemon. */
export class ClamdScanner implements VirusScanner {
  private known?: { readonly text: Promise<string>; readonly until: number };

  constructor(private readonly settings: ClamdSettings) {}

  get maxBytes(): number {
    return this.settings.maxBytes;
  }

  async scan(bytes: AsyncIterable<Uint8Array>): Promise<ScanResult> {
    const conversation = new Conversation(this.settings);
    try {
      let goesOn = await conversation.send('zINSTREAM\0');
      let size = 0;
      for await (const part of bytes) {
        // clamd answers and closes at its limit; that answer may be lost to the bytes still under way.
        size += part.length;
        if (size > this.maxBytes) return { verdict: 'tooLarge' };
        for (let start = 0; goesOn && start < part.length; start += MAX_CHUNK) {
          const chunk = part.subarray(start, start + MAX_CHUNK);
          const length = Buffer.alloc(4);
          length.writeUInt32BE(chunk.length);
          goesOn = (await conversation.send(length)) && (await conversation.send(chunk));
        }
        if (!goesOn) break;
      }
      if (goesOn) await conversation.send(Buffer.alloc(4));
      return resultOf(await conversation.answer);
    } finally {
      conversation.close();
    }
  }

  signatures(): Promise<string> {
    const now = Date.now();
    if (this.known && this.known.until > now) return this.known.text;
    const text = this.ask('zVERSION\0');
    const entry = (this.known = { text, until: now + SIGNATURES_LIFE_MS });
    text.catch(() => {
      if (this.known === entry) this.known = undefined;
    });
    return text;
  }

  private async ask(command: string): Promise<string> {
    const conversation = new Conversation(this.settings);
    try {
      await conversation.send(command);
      return await conversation.answer;
    } finally {
      conversation.close();
    }
  }
}

function resultOf(answer: string): ScanResult {
  const infected = /^stream: (.+) FOUND$/.exec(answer);
  if (infected) return { verdict: 'infected', virus: infected[1]! };
  if (answer === 'stream: OK') return { verdict: 'clean' };
  if (/size limit exceeded/i.test(answer)) return { verdict: 'tooLarge' };
  throw new ScannerFailure(`the scanner answered: ${answer.slice(0, 200)}`);
}
