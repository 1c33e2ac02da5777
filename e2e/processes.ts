import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import readline from 'node:readline';

const MAIN = path.join(__dirname, '..', 'apps', 'host', 'dist', 'main.js');

/** A port nobody listens on at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** One process of the built product, restarted on demand with the same environment. */
export class HostProcess {
  private child: ChildProcess | undefined;

  constructor(
    readonly name: string,
    private readonly environment: Record<string, string>,
    /** Hears of every line the process writes. */
    private readonly onLine: (line: string) => void = () => undefined,
  ) {}

  /** Number of the process while it runs. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Starts it and waits for its ready line. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [MAIN], {
      env: { ...process.env, ...this.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    let errors = '';
    child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
    const ready = new Promise<void>((resolve) => {
      readline.createInterface({ input: child.stdout }).on('line', (line) => {
        this.onLine(line);
        if (line.startsWith('ready ')) resolve();
      });
    });
    const ended = once(child, 'exit').then(() => {
      throw new Error(`${this.name} ended: ${errors}`);
    });
    ended.catch(() => undefined);
    await Promise.race([ready, ended]);
  }

  /** Ends it without giving it a chance to say anything. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }
}
