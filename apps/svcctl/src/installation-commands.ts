import { readFile } from 'node:fs/promises';
import { hash } from '@node-rs/argon2';
import { Option, type Command } from 'commander';
import { EXIT, Stop } from './exit';
import { fields } from './output';
import { waitForEnd, number, pause, show, showAny, type Connect, type Job } from './session';
import { PasswordFile } from './password-file';
import { readSecret, type Terminal } from './terminal';

/** Pause between two looks at a server that is not ready, ms. */
const POLL_MS = 500;

/** Places of operations that seal again, below `/admin/v1`. */
const SEALED = [
  'mail-accounts',
  ...['identity', 'calendar', 'files', 'push', 'sso'].map((module) => `secrets/${module}`),
];

/** `import`: many users, groups or resources from a file. */
export function addImport(program: Command, connect: Connect): void {
  program
    .command('import')
    .description('Imports users, groups or resources from a CSV or LDIF file')
    .addArgument(program.createArgument('<kind>', 'what the file holds').choices(['users', 'groups', 'resources']))
    .argument('<context>', 'number of the context', number)
    .argument('<file>', 'CSV or LDIF file')
    .addOption(new Option('--format <format>', 'default: ldif for *.ldif, else csv').choices(['csv', 'ldif']))
    .addOption(new Option('--mode <mode>', 'what to do with objects that exist').choices(['create', 'upsert', 'sync']))
    .option('--map <title=field...>', 'fields that columns or attributes fill; without field they are not read')
    .option('--dry-run', 'change nothing, tell what would happen')
    .option('--force', 'disable even many users (mode sync)')
    .addOption(
      new Option('--passwords <kind>', 'what users without password get; wants --passwords-to').choices([
        'random',
        'invite',
      ]),
    )
    .option('--passwords-to <file>', 'new file, for you alone, that takes those passwords and invitations')
    .action(
      async (
        kind: string,
        context: string,
        file: string,
        options: {
          format?: string;
          mode?: string;
          map?: string[];
          dryRun?: boolean;
          force?: boolean;
          passwords?: string;
          passwordsTo?: string;
        },
      ) => {
        if ((options.passwords === undefined) !== (options.passwordsTo === undefined))
          throw new Stop(EXIT.usage, '--passwords and --passwords-to go together.');
        const session = connect();
        const bytes = await readFile(file).catch((error: Error) => {
          throw new Stop(EXIT.usage, `${file} cannot be read: ${error.message}`);
        });
        const format = options.format ?? (/\.ldif$/i.test(file) ? 'ldif' : 'csv');
        const told = options.passwordsTo === undefined ? undefined : await PasswordFile.create(options.passwordsTo);
        const query = {
          kind,
          format,
          mode: options.mode,
          map: options.map?.join(','),
          dryRun: options.dryRun,
          force: options.force,
          passwords: options.passwords,
          recipient: told?.recipient,
        };
        let job = await session.client.send<Job>('POST', `/admin/v1/contexts/${context}/import`, {
          query,
          file: { bytes, type: `text/${format}` },
        });
        job = await waitForEnd(session, job);
        await told?.take(session, job);
        show(session, job, fields({ ...job, ...job.result, result: undefined }));
        if (job.state === 'failed' || (job.result?.errors?.length ?? 0) > 0)
          throw new Stop(EXIT.refused, 'Some rows were not imported.');
      },
    );
}

/** `job show`. */
export function addJob(program: Command, connect: Connect): void {
  program
    .command('job')
    .description('Shows and ends jobs')
    .command('show')
    .argument('<context>', 'number of the context', number)
    .argument('<id>', 'id of the job')
    .action(async (context: string, id: string) => {
      const session = connect();
      const job = await session.client.send<object>(
        'GET',
        `/admin/v1/contexts/${context}/jobs/${encodeURIComponent(id)}`,
      );
      show(session, job, fields(job));
    });
}

/** Commands for the installation as a whole. */
export function addInstallation(program: Command, connect: Connect, terminal: Terminal): void {
  program
    .command('init')
    .description('Waits until the installation is ready: services prepare their schemas when they start')
    .option('--wait <seconds>', 'longest wait', number, '60')
    .action(async (options: { wait: string }) => {
      const { client } = connect();
      const end = Date.now() + Number(options.wait) * 1000;
      for (;;) {
        const ready = await client.plain('/ready').catch((error: unknown) => error);
        if (!(ready instanceof Error) && (ready as { status: number }).status === 200) return terminal.out('ready\n');
        if (Date.now() >= end)
          throw ready instanceof Stop ? ready : new Stop(EXIT.unreachable, 'The installation is not ready.');
        await pause(POLL_MS);
      }
    });
  for (const page of ['health', 'metrics'])
    program
      .command(page)
      .description(`Shows ${page}`)
      .action(async () => {
        const { status, text } = await connect().client.plain(`/${page}`);
        terminal.out(text.endsWith('\n') ? text : `${text}\n`);
        if (status >= 400) throw new Stop(EXIT.refused, `HTTP ${status}`);
      });
  program
    .command('mail-account')
    .description('Manages mail accounts')
    .command('reseal')
    .description('Seals the passwords of all mail accounts with the newest secret key')
    .action(async () => {
      const session = connect();
      const result = await session.client.send<object>('POST', '/admin/v1/mail-accounts/reseal');
      show(session, result, fields(result));
    });
  program
    .command('secrets')
    .description('Manages what is sealed with the secret key')
    .command('reseal')
    .description('Seals all stored secrets with the newest secret key')
    .action(async () => {
      const session = connect();
      const results: { sealed: string; unreadable: number }[] = [];
      for (const path of SEALED) {
        const result = await session.client.send<{ unreadable: number }>('POST', `/admin/v1/${path}/reseal`);
        results.push({ sealed: path, ...result });
      }
      showAny(session, results);
      if (results.some(({ unreadable }) => unreadable > 0)) throw new Stop(EXIT.refused, 'No key opens some of them.');
    });
  program
    .command('hash-password')
    .description('Prints the hash of a password, for imports and IDENTITY_MASTER_ADMINS')
    .option('--new-password-file <file>', 'file with the password; - is standard input; default: asked for')
    .action(async (options: { newPasswordFile?: string }) => {
      const password = await readSecret(terminal, options.newPasswordFile, 'Password: ');
      terminal.out(`{ARGON2}${await hash(password)}\n`);
    });
}
