import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { debianProgram } from './debian.mjs';
import { programAtHand } from './programs.mjs';
import { answers, onFreePort, untilReady } from './readiness.mjs';

const PROGRAMS = path.join(__dirname, '..', '..', '.data', 'tools');

/** A NATS server of one test, whose process and store may be taken away. */
export class OwnNats {
  private child: ChildProcess | undefined;
  private readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), 'own-nats-'));

  private constructor(
    private readonly program: { file: string; env: NodeJS.ProcessEnv },
    private port = 0,
  ) {}

  static async start(): Promise<OwnNats> {
    const installed = programAtHand('nats-server');
    const program = installed
      ? { file: installed, env: process.env }
      : await debianProgram(PROGRAMS, 'nats-server', ['nats-server']);
    if (!program) throw new Error('no NATS server: install nats-server');
    const server = new OwnNats(program);
    await onFreePort((port: number) => {
      server.port = port;
      return server.startAgain();
    });
    return server;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  /** Starts it at its former address. */
  async startAgain(): Promise<void> {
    const args = ['-a', '127.0.0.1', '-p', String(this.port), '-js', '-sd', this.store];
    this.child = spawn(this.program.file, args, { env: this.program.env, stdio: 'ignore' });
    await untilReady(() => answers(this.port, 'PING\r\n', /^INFO /), this.child);
  }

  /** Ends it as a power cut does. */
  async kill(): Promise<void> {
    if (!this.child || this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
  }

  /** Removes what JetStream has stored. */
  loseStore(): void {
    fs.rmSync(this.store, { recursive: true });
  }

  async close(): Promise<void> {
    await this.kill();
    fs.rmSync(this.folder, { recursive: true, force: true });
  }

  private get store(): string {
    return path.join(this.folder, 'store');
  }
}
