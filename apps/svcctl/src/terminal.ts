import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { EXIT, Stop } from './exit';

/** Streams and environment of the commands. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { isTTY?: boolean };
  out(text: string): void;
  error(text: string): void;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Reads a secret: from a file, from standard input (`-` or a pipe), or asked for without echo. Never an argument. */
export async function readSecret(terminal: Terminal, file: string | undefined, question: string): Promise<string> {
  if (file !== undefined && file !== '-') {
    try {
      return firstLine(await readFile(file, 'utf8'));
    } catch (error) {
      throw new Stop(EXIT.usage, `${file} cannot be read: ${(error as Error).message}`);
    }
  }
  if (file === undefined && terminal.input.isTTY) return ask(terminal, question);
  let text = '';
  for await (const chunk of terminal.input) text += String(chunk);
  return firstLine(text);
}

const firstLine = (text: string): string => text.split(/\r?\n/, 1)[0]!;

function ask(terminal: Terminal, question: string): Promise<string> {
  terminal.error(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: terminal.input, output: silent, terminal: true });
  return new Promise((resolve) => {
    lines.question('', (answer) => {
      lines.close();
      terminal.error('\n');
      resolve(answer);
    });
  });
}
