import { readFile } from 'node:fs/promises';
import { hash } from '@node-rs/argon2';
import { Command, CommanderError, Option } from 'commander';
import { assignments } from './assignments';
import { addCalls } from './call-commands';
import { EXIT, Stop } from './exit';
import { fields, table } from './output';
import { RestClient } from './rest-client';
import { readSecret, type Terminal } from './terminal';
import { LIST_FIELDS, TEXT_FIELDS, THINGS, type Thing } from './things';

const DEFAULT_URL = 'http://127.0.0.1:8081';
const TIMEOUT_MS = 120_000;
/** Pause between two looks at a server that is not ready, ms. */
const POLL_MS = 500;
const JOB_POLL_MS = 1_000;

interface Session {
  readonly client: RestClient;
  readonly terminal: Terminal;
  readonly json: boolean;
}

interface Page {
  readonly items: object[];
  readonly next?: string;
}

interface Job {
  readonly contextId: number;
  readonly id: string;
  readonly state: string;
  readonly errors: readonly unknown[];
  readonly result?: { readonly errors?: readonly unknown[] };
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

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
    .description('Manages contexts, users, groups and resources through the administrative REST API.')
    .addOption(new Option('--url <url>', 'internal listener').default(terminal.environment.SVCCTL_URL ?? DEFAULT_URL))
    .addOption(
      new Option('--login <name>', 'login of the administrator').default(terminal.environment.SVCCTL_LOGIN ?? 'admin'),
    )
    .option('--password-file <file>', 'file with the password of the administrator; - is standard input')
    .option('--json', 'print JSON')
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.error(text) });
  const connect = (): Session => {
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
  addCalls(program, {
    connect,
    show: (session, value) => show(session, value, textOf(value)),
    ended: (session, job) => ended(session, job as Job),
    number,
    place,
  });
  addInstallation(program, connect, terminal);
  return program;
}

function show(session: Session, value: unknown, text: string): void {
  const shown = session.json ? JSON.stringify(value ?? null, undefined, 2) : text;
  if (shown !== '') session.terminal.out(`${shown}\n`);
}

function addThing(program: Command, thing: Thing, connect: () => Session): void {
  const command = program.command(thing.name).description(`Manages ${thing.doc}`);
  const verb = (name: string, doc: string, id: boolean): Command => {
    const isLeftOut = thing.verbs && STANDARD_VERBS.has(name) && !(thing.verbs as readonly string[]).includes(name);
    const sub = isLeftOut ? new Command(name) : command.command(name).description(doc);
    if (thing.inContext) sub.argument('<context>', 'number of the context', number);
    if (id && thing.named) sub.argument('<id>', `name of the ${thing.name}`, encodeURIComponent);
    else if (id) sub.argument('<id>', `number of the ${thing.name}`, number);
    return sub;
  };
  const pathOf = (args: readonly string[]): string =>
    thing.inContext ? [thing.path(args[0]!), ...args.slice(1)].join('/') : [thing.path(''), ...args].join('/');
  /** Positional arguments come first, then options and the command itself. */
  const positional = (args: readonly unknown[]): string[] => args.slice(0, -2) as string[];
  const optionsOf = <T>(args: readonly unknown[]): T => args.at(-2) as T;

  verb('list', `Lists ${thing.doc}`, false)
    .option('--q <pattern>', 'part of name, number or address; * stands for any text')
    .option('--limit <n>', 'most of them', number)
    .option('--all', 'all pages')
    .action(async (...args: unknown[]) => {
      const options = optionsOf<{ q?: string; limit?: string; all?: boolean }>(args);
      const session = connect();
      const items: object[] = [];
      let after: string | undefined;
      do {
        const query = { q: options.q, limit: options.limit, after };
        const page: Page = await session.client.send('GET', pathOf(positional(args)), { query });
        items.push(...page.items);
        after = page.next;
      } while (options.all && after !== undefined);
      show(session, { items, ...(after ? { next: after } : {}) }, table(items, thing.columns));
      if (after !== undefined && !session.json) session.terminal.error('… more: --all shows them\n');
    });

  verb('show', `Shows one of the ${thing.doc}`, true).action(async (...args: unknown[]) => {
    const session = connect();
    const value = await session.client.send<object>('GET', pathOf(positional(args)));
    show(session, value, fields(value));
  });

  const withFields = (sub: Command): Command => {
    for (const [option, { doc }] of Object.entries(thing.fields)) sub.option(`--${option} <value>`, doc);
    return sub
      .option('--set <field=value...>', 'any field of the REST API; values may be JSON')
      .option('--data <file>', 'JSON file with the fields; - is standard input');
  };

  const create = withFields(verb('create', `Creates one of the ${thing.doc}`, false));
  if (thing.passwordField)
    create.option('--new-password-file <file>', 'file with the new password; - is standard input; default: asked for');
  create.action(async (...args: unknown[]) => {
    const options = optionsOf<Record<string, string>>(args);
    const session = connect();
    const body = await bodyOf(thing, options, session.terminal);
    if (thing.passwordField && !has(body, thing.passwordField) && !has(body, 'passwordHash')) {
      const password = await readSecret(session.terminal, options.newPasswordFile, 'New password: ');
      place(body, thing.passwordField, password);
    }
    const value = await session.client.send<object>('POST', pathOf(positional(args)), { body });
    show(session, value, fields(value));
  });

  withFields(verb('change', `Changes one of the ${thing.doc}`, true))
    .option('--if-version <n>', 'only when this is the version')
    .action(async (...args: unknown[]) => {
      const options = optionsOf<Record<string, string>>(args);
      const session = connect();
      const body = await bodyOf(thing, options, session.terminal);
      const ifMatch = options.ifVersion ? `"${options.ifVersion}"` : undefined;
      const value = await session.client.send<object>('PATCH', pathOf(positional(args)), { body, ifMatch });
      show(session, value, fields(value));
    });

  const remove = verb('delete', `Deletes one of the ${thing.doc}`, true).option(
    '--missing-ok',
    'no error when it is gone',
  );
  if (thing.name === 'user')
    remove.option('--reassign-to <user|none>', 'who gets shared data; default: the administrator');
  remove.action(async (...args: unknown[]) => {
    const options = optionsOf<{ missingOk?: boolean; reassignTo?: string }>(args);
    const session = connect();
    const query = { missing_ok: options.missingOk, reassignTo: options.reassignTo };
    const value = await session.client.send<object | undefined>('DELETE', pathOf(positional(args)), { query });
    show(session, value, value ? fields(value) : '');
  });

  if (thing.name === 'context') addContextVerbs(command, connect);
  if (thing.name === 'user') addUserVerbs(command, connect);
  if (thing.name === 'group') addMemberVerbs(command, connect);
  if (thing.name === 'context' || thing.name === 'user') {
    addAccess(verb, pathOf, positional, optionsOf, connect);
    addConfig(verb, pathOf, positional, connect);
  }
}

type Verb = (name: string, doc: string, id: boolean) => Command;
type PathOf = (args: readonly string[]) => string;
type Positional = (args: readonly unknown[]) => string[];
type OptionsOf = <T>(args: readonly unknown[]) => T;

/** Verbs that all things have unless they say otherwise. */
const STANDARD_VERBS: ReadonlySet<string> = new Set(['list', 'create', 'show', 'change', 'delete']);

/** An answer as text: a table where it is a list. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  const { items } = value as { items?: object[] };
  const rows = Array.isArray(value) ? (value as object[]) : items;
  if (!rows) return fields(value);
  return table(rows, [...new Set(rows.flatMap((row) => Object.keys(row)))]);
}

/** Waits for the end of a job. */
async function ended(session: Session, begun: Job): Promise<Job> {
  let job = begun;
  while (job.state === 'running') {
    await pause(JOB_POLL_MS);
    job = await session.client.send<Job>('GET', `/admin/v1/contexts/${job.contextId}/jobs/${job.id}`);
  }
  return job;
}

/** A reseller is made and replaced as a whole. */
function addResellerSet(program: Command, connect: () => Session): void {
  program.commands
    .find((command) => command.name() === 'reseller')!
    .command('set')
    .description('Makes a reseller or replaces what is written of it')
    .argument('<id>', 'name of the reseller')
    .option('--set <field=value...>', 'any field of the REST API; values may be JSON')
    .option('--data <file>', 'JSON file with the fields; - is standard input')
    .option('--new-password-file <file>', 'file with the password; - is standard input; without it the password stays')
    .action(async (name: string, options: Record<string, string>) => {
      const session = connect();
      const body = await bodyOf({ fields: {} }, options, session.terminal);
      if (options.newPasswordFile)
        body.password = await readSecret(session.terminal, options.newPasswordFile, 'New password: ');
      const path = `/admin/v1/resellers/${encodeURIComponent(name)}`;
      const value = await session.client.send<object>('PUT', path, { body });
      show(session, value, fields(value));
    });
}

function addContextVerbs(command: Command, connect: () => Session): void {
  for (const enabled of [true, false])
    command
      .command(enabled ? 'enable' : 'disable')
      .description(enabled ? 'Lets users log in' : 'Keeps users out and closes their sessions')
      .argument('<id>', 'number of the context', number)
      .option('--reason <text>', 'why')
      .action(async (id: string, options: { reason?: string }) => {
        const session = connect();
        const body = { enabled, reason: options.reason };
        const value = await session.client.send<object>('PUT', `/admin/v1/contexts/${id}/state`, { body });
        show(session, value, fields(value));
      });
}

function addUserVerbs(command: Command, connect: () => Session): void {
  command
    .command('close-sessions')
    .description('Closes all sessions of a user (as master administrator)')
    .argument('<context>', 'number of the context', number)
    .argument('<id>', 'number of the user', number)
    .action(async (context: string, id: string) => {
      const session = connect();
      const body = { users: [{ contextId: Number(context), userId: Number(id) }] };
      await session.client.send('POST', '/admin/v1/close-sessions/by-user', { body });
      show(session, undefined, '');
    });
  for (const [name, method, doc] of [
    ['login-information', 'GET', 'Shows the state of the enforcement of second factors'],
    ['login-information-reset', 'DELETE', 'Begins the grace period for second factors anew'],
  ] as const)
    command
      .command(name)
      .description(doc)
      .argument('<context>', 'number of the context', number)
      .argument('<id>', 'number of the user', number)
      .action(async (context: string, id: string) => {
        const session = connect();
        const path = `/admin/v1/contexts/${context}/users/${id}/multifactor/login-information`;
        const value = await session.client.send<object | undefined>(method, path);
        show(session, value, value ? fields(value) : '');
      });
  command
    .command('passwd')
    .description('Sets the password and closes the sessions of a user')
    .argument('<context>', 'number of the context', number)
    .argument('<id>', 'number of the user', number)
    .option('--new-password-file <file>', 'file with the new password; - is standard input; default: asked for')
    .option('--keep-sessions', 'leave sessions open')
    .action(async (context: string, id: string, options: { newPasswordFile?: string; keepSessions?: boolean }) => {
      const session = connect();
      const password = await readSecret(session.terminal, options.newPasswordFile, 'New password: ');
      const body = { password, keepSessions: options.keepSessions ?? false };
      await session.client.send('PUT', `/admin/v1/contexts/${context}/users/${id}/password`, { body });
      show(session, undefined, '');
    });
}

function addMemberVerbs(command: Command, connect: () => Session): void {
  for (const [name, method] of [
    ['add-member', 'PUT'],
    ['remove-member', 'DELETE'],
  ] as const)
    command
      .command(name)
      .description(name === 'add-member' ? 'Adds a member' : 'Removes a member')
      .argument('<context>', 'number of the context', number)
      .argument('<group>', 'number of the group', number)
      .argument('<user>', 'number of the user', number)
      .action(async (context: string, group: string, user: string) => {
        const session = connect();
        await session.client.send(method, `/admin/v1/contexts/${context}/groups/${group}/members/${user}`);
        show(session, undefined, '');
      });
}

function addAccess(
  verb: Verb,
  pathOf: PathOf,
  positional: Positional,
  optionsOf: OptionsOf,
  connect: () => Session,
): void {
  verb('access', 'Shows or sets module access', true)
    .option('--combination <name>', 'named set of flags')
    .option('--set <flag=true|false...>', 'single flags')
    .option('--apply-to-users', 'set it for all users of the context, too')
    .action(async (...args: unknown[]) => {
      const options = optionsOf<{ combination?: string; set?: string[]; applyToUsers?: boolean }>(args);
      const session = connect();
      const path = `${pathOf(positional(args))}/module-access`;
      const changes = options.combination !== undefined || options.set !== undefined;
      const body = { combination: options.combination, flags: options.set && assignments(options.set) };
      const query = { applyToUsers: options.applyToUsers };
      const value = changes
        ? await session.client.send<object>('PUT', path, { body, query })
        : await session.client.send<object>('GET', path);
      show(session, value, fields(value));
    });
}

function addConfig(verb: Verb, pathOf: PathOf, positional: Positional, connect: () => Session): void {
  verb('config', 'Shows, sets or (value -) removes a property', true)
    .argument('<property>', 'key of the property')
    .argument('[value]', 'new value; - removes it')
    .action(async (...args: unknown[]) => {
      const session = connect();
      const all = positional(args);
      const value = all.at(-1);
      const path = `${pathOf(all.slice(0, -2))}/config/${encodeURIComponent(all.at(-2)!)}`;
      if (value === '-') {
        await session.client.send('DELETE', path);
        return show(session, undefined, '');
      }
      const entry =
        value === undefined
          ? await session.client.send<object>('GET', path)
          : await session.client.send<object>('PUT', path, { body: { value } });
      show(session, entry, fields(entry));
    });
}

function addImport(program: Command, connect: () => Session): void {
  program
    .command('import')
    .description('Imports users, groups or resources from a CSV or LDIF file')
    .addArgument(program.createArgument('<kind>', 'what the file holds').choices(['users', 'groups', 'resources']))
    .argument('<context>', 'number of the context', number)
    .argument('<file>', 'CSV or LDIF file')
    .addOption(new Option('--format <format>', 'default: ldif for *.ldif, else csv').choices(['csv', 'ldif']))
    .addOption(new Option('--mode <mode>', 'what to do with objects that exist').choices(['create', 'upsert', 'sync']))
    .option('--dry-run', 'change nothing, tell what would happen')
    .option('--force', 'disable even many users (mode sync)')
    .action(
      async (
        kind: string,
        context: string,
        file: string,
        options: { format?: string; mode?: string; dryRun?: boolean; force?: boolean },
      ) => {
        const session = connect();
        const bytes = await readFile(file).catch((error: Error) => {
          throw new Stop(EXIT.usage, `${file} cannot be read: ${error.message}`);
        });
        const format = options.format ?? (/\.ldif$/i.test(file) ? 'ldif' : 'csv');
        const query = { kind, format, mode: options.mode, dryRun: options.dryRun, force: options.force };
        let job = await session.client.send<Job>('POST', `/admin/v1/contexts/${context}/import`, {
          query,
          file: { bytes, type: `text/${format}` },
        });
        job = await ended(session, job);
        show(session, job, fields({ ...job, ...job.result, result: undefined }));
        if (job.state === 'failed' || (job.result?.errors?.length ?? 0) > 0)
          throw new Stop(EXIT.refused, 'Some rows were not imported.');
      },
    );
}

function addJob(program: Command, connect: () => Session): void {
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

function addInstallation(program: Command, connect: () => Session, terminal: Terminal): void {
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
    .command('hash-password')
    .description('Prints the hash of a password, for imports')
    .option('--new-password-file <file>', 'file with the password; - is standard input; default: asked for')
    .action(async (options: { newPasswordFile?: string }) => {
      const password = await readSecret(terminal, options.newPasswordFile, 'Password: ');
      terminal.out(`{ARGON2}${await hash(password)}\n`);
    });
}

/** The body of a creation or change: file, then options, then `--set`. */
async function bodyOf(
  thing: Pick<Thing, 'fields'>,
  options: Readonly<Record<string, string | string[] | undefined>>,
  terminal: Terminal,
): Promise<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  if (typeof options.data === 'string') {
    const text =
      options.data === '-' ? await readAll(terminal) : await readFile(options.data, 'utf8').catch(unreadable);
    try {
      Object.assign(body, JSON.parse(text));
    } catch {
      throw new Stop(EXIT.usage, `${options.data} is not JSON`);
    }
  }
  for (const [option, { field }] of Object.entries(thing.fields)) {
    const value = options[option.replace(/-(.)/g, (_match, letter: string) => letter.toUpperCase())];
    if (typeof value === 'string') place(body, field, typed(field, value));
  }
  if (Array.isArray(options.set)) merge(body, assignments(options.set));
  return body;
}

const unreadable = (error: Error): never => {
  throw new Stop(EXIT.usage, error.message);
};

async function readAll(terminal: Terminal): Promise<string> {
  let text = '';
  for await (const chunk of terminal.input) text += String(chunk);
  return text;
}

function typed(field: string, text: string): unknown {
  if (LIST_FIELDS.has(field)) {
    const parts = text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    return field === 'members' ? parts.map(Number) : parts;
  }
  const last = field.split('.').at(-1)!;
  if (TEXT_FIELDS.has(last)) return text;
  return Object.values(assignments([`x=${text}`]))[0];
}

function place(body: Record<string, unknown>, field: string, value: unknown): void {
  const path = field.split('.');
  let target = body;
  for (const part of path.slice(0, -1)) target = (target[part] ??= {}) as Record<string, unknown>;
  target[path.at(-1)!] = value;
}

function merge(body: Record<string, unknown>, more: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(more)) {
    const inner = body[name];
    if (isObject(inner) && isObject(value)) merge(inner, value);
    else body[name] = value;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const has = (body: Record<string, unknown>, field: string): boolean =>
  field.split('.').reduce<unknown>((value, part) => (isObject(value) ? value[part] : undefined), body) !== undefined;

/** A whole number, as text; anything else is a usage error. */
function number(text: string): string {
  if (!/^\d{1,10}$/.test(text))
    throw new CommanderError(EXIT.usage, 'svcctl.number', `${JSON.stringify(text)} is no number`);
  return text;
}
