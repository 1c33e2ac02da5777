import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import readline from 'node:readline';
import { findFreePort } from '@groupware/test-kit';
import { expectNoSecretInLogs, searchLater, watchEvents } from './secrets';
import { createEnvironment, type TestEnvironment } from './test-environment';

/** The folder of the product under test. */
export const CHECKOUT = path.join(__dirname, '..');

/** One process of the built product, restarted on demand with the same environment. */
export class HostProcess {
  private child: ChildProcess | undefined;
  private listeners = { publicUrl: '', internalUrl: '' };

  constructor(
    readonly name: string,
    private readonly environment: Record<string, string>,
    /** Hears of every line the process writes. */
    private readonly onLine: (line: string) => void = () => undefined,
    /** Folder of the built product. */
    readonly version: string = CHECKOUT,
  ) {}

  /** Address for clients, `-` without a gateway; empty before the process is ready. */
  get publicUrl(): string {
    return this.listeners.publicUrl;
  }

  /** Address for operators and probes; empty before the process is ready. */
  get internalUrl(): string {
    return this.listeners.internalUrl;
  }

  /** Number of the process while it runs. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Starts it and waits for its ready line. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [path.join(this.version, 'apps', 'host', 'dist', 'main.js')], {
      env: { ...process.env, ...this.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    let errors = '';
    child.stderr.on('data', (data: Buffer) => {
      errors += data.toString();
      searchLater(data.toString());
    });
    const ready = new Promise<void>((resolve) => {
      readline.createInterface({ input: child.stdout }).on('line', (line) => {
        searchLater(`${line}\n`);
        this.onLine(line);
        if (!line.startsWith('ready ')) return;
        const [, publicUrl, internalUrl] = line.split(' ');
        this.listeners = { publicUrl: publicUrl!, internalUrl: internalUrl! };
        resolve();
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

/** The product in several processes, and what it stands on. */
export interface ProcessWorld extends TestEnvironment {
  /** In the order of their start; the gateway is the last one. */
  readonly processes: readonly HostProcess[];
}

/** The product in one process of its own, with all its modules. */
export interface SingleProcessWorld extends TestEnvironment {
  readonly process: HostProcess;
}

/**
 * Starts all modules in one process that is not the one of the test: what it does to its event loop can be measured.
 * @param settings variables of the process
 */
export async function createSingleProcessWorld(settings: Record<string, string> = {}): Promise<SingleProcessWorld> {
  const environment = await createEnvironment(settings);
  const [port, internalPort] = [await findFreePort(), await findFreePort()];
  const ports = { PORT: String(port), INTERNAL_PORT: String(internalPort) };
  const host = new HostProcess('all', { ...environment.variables, ...ports });
  await host.start();
  return {
    ...environment,
    publicUrl: `http://127.0.0.1:${port}`,
    internalUrl: `http://127.0.0.1:${internalPort}`,
    environment: environment.variables,
    process: host,
    close: async () => {
      await host.kill('SIGTERM');
      await environment.drop();
      expectNoSecretInLogs();
    },
  };
}

/**
 * Starts one process for each of the groups of modules, one after the other, and then a gateway.
 * @param groups names of modules with commas, such as `identity,folders`; a group given twice runs twice
 * @param settings variables for all of them
 * @param prepare changes the variables of the processes, such as the way to a server, once they are known
 */
export async function createProcessWorld(
  groups: readonly string[],
  settings: Record<string, string> = {},
  prepare: (variables: Record<string, string>) => Promise<void> = () => Promise.resolve(),
): Promise<ProcessWorld> {
  const environment = await createEnvironment(settings);
  const endEvents = await watchEvents(environment.variables);
  await prepare(environment.variables);
  const [port, internalPort] = [await findFreePort(), await findFreePort()];
  const host = (modules: string, ports: Record<string, string> = {}) =>
    new HostProcess(modules, { ...environment.variables, GROUPWARE_MODULES: modules, ...ports });
  const gateway = host('gateway', { PORT: String(port), INTERNAL_PORT: String(internalPort) });
  const processes = [...groups.map((modules) => host(modules)), gateway];
  for (const each of processes) await each.start();
  return {
    ...environment,
    publicUrl: `http://127.0.0.1:${port}`,
    internalUrl: `http://127.0.0.1:${internalPort}`,
    environment: environment.variables,
    processes,
    close: async () => {
      await Promise.all(processes.map((each) => each.kill('SIGTERM')));
      await endEvents();
      await environment.drop();
      expectNoSecretInLogs();
    },
  };
}
