import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { filesBelow } from './files-below';

/** Key and secret of the server. */
const CREDENTIALS = 'S3RVER:S3RVER';
/** The server removes folders that became empty, also those in which another request is about to write: that ended it. */
const PROGRAM = `
  const S3rver = require('s3rver');
  require(require.resolve('fs-extra', { paths: [require.resolve('s3rver')] })).rmdir = async () => undefined;
  const [directory, port] = process.argv.slice(1);
  new S3rver({ directory, port: Number(port), address: '127.0.0.1', silent: true })
    .run()
    .then(({ port }) => console.log(port));
`;

/** An S3 server as a process of its own, which can be killed; what it holds stays until {@link S3Process.close}. */
export class S3Process {
  readonly folder = mkdtempSync(path.join(os.tmpdir(), 's3-'));
  private process: ChildProcess | undefined;
  private port = 0;

  /** Starts a server with one bucket. */
  static async start(bucket: string): Promise<S3Process> {
    const server = new S3Process(bucket);
    mkdirSync(path.join(server.folder, bucket));
    await server.run();
    return server;
  }

  private constructor(private readonly bucket: string) {}

  /** Address of the server. */
  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Address of a file store in the bucket; reached by way of another address where one is given. */
  storeUrl(prefix: string, { endpoint = this.endpoint, credentials = CREDENTIALS } = {}): string {
    return `s3://${credentials}@${this.bucket}/${prefix}?endpoint=${encodeURIComponent(endpoint)}`;
  }

  /** Runs the server (again), at the same port. */
  async run(): Promise<void> {
    this.process = spawn(process.execPath, ['-e', PROGRAM, this.folder, String(this.port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(this.process, 'exit').then(([code, signal]) => {
      throw new Error(`the S3 server ended with ${code === null ? signal : `code ${code}`} before it listened`);
    });
    const [line] = (await Promise.race([once(this.process.stdout!, 'data'), ended])) as [Buffer];
    this.port = Number(line.toString());
  }

  /** Ends the server at once, as a lost machine would. */
  async kill(): Promise<void> {
    const { process } = this;
    this.process = undefined;
    if (!process || process.exitCode !== null || process.signalCode !== null) return;
    process.kill('SIGKILL');
    await once(process, 'exit');
  }

  /** Names of stored objects. */
  objects(): string[] {
    const ending = '._S3rver_object';
    return filesBelow(this.folder)
      .filter((name) => name.endsWith(ending))
      .map((name) => name.slice(0, -ending.length));
  }

  /** Ends the server and removes what it holds. */
  async close(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
