import { Command, CommanderError, Option } from 'commander';
import { addDemo, addFeedback, addLogging } from './admin-commands';
import { addBackup } from './backup-commands';
import { addCalls } from './call-commands';
import { EXIT, Stop } from './exit';
import { addImport, addInstallation, addJob } from './installation-commands';
import { addMigrate } from './migrate-commands';
import { RestClient } from './rest-client';
import type { Connect } from './session';
import { readSecret, type Terminal } from './terminal';
import { addThing } from './thing-commands';
import { THINGS } from './things';
import { addResellerSet } from './verbs';

const DEFAULT_URL = 'http://127.0.0.1:8081';
const TIMEOUT_MS = 120_000;

/** Runs the command line; answers the exit code. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = build(terminal);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (!(error instanceof Stop)) throw error;
    if (program.opts<{ json?: boolean }>().json && error.detail !== undefined)
      terminal.out(`${JSON.stringify(error.detail, undefined, 2)}\n`);
    else terminal.error(`${error.message}\n`);
    return error.exitCode;
  }
}

function build(terminal: Terminal): Command {
  const program = new Command('svcctl')
    .description(
      'Manages contexts, users, groups and resources through the administrative REST API, and schemas in Postgres.',
    )
    .addOption(new Option('--url <url>', 'internal listener').default(terminal.environment.SVCCTL_URL ?? DEFAULT_URL))
    .addOption(
      new Option('--login <name>', 'login of the administrator').default(terminal.environment.SVCCTL_LOGIN ?? 'admin'),
    )
    .option('--password-file <file>', 'file with the password of the administrator; - is standard input')
    .option('--json', 'print JSON')
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.error(text) });
  const connect: Connect = () => {
    const options = program.opts<{ url: string; login: string; passwordFile?: string; json?: boolean }>();
    let password: Promise<string> | undefined;
    const file = options.passwordFile ?? terminal.environment.SVCCTL_PASSWORD_FILE;
    const target = {
      url: options.url,
      login: options.login,
      password: () => (password ??= readSecret(terminal, file, `Password of ${options.login}: `)),
      timeoutMs: TIMEOUT_MS,
    };
    return { client: new RestClient(target), terminal, json: options.json ?? false };
  };
  for (const thing of THINGS) addThing(program, thing, connect);
  addImport(program, connect);
  addJob(program, connect);
  addResellerSet(program, connect);
  addCalls(program, connect);
  addInstallation(program, connect, terminal);
  addLogging(program, connect);
  addFeedback(program, connect);
  addDemo(program, connect);
  addMigrate(program, connect);
  addBackup(program, connect);
  return program;
}
