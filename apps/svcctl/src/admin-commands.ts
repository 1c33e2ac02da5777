import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { DEMO, demoContext, demoPerson, demoResource } from '@groupware/contracts';
import { Option, type Command } from 'commander';
import { makeAppointments } from './demo-appointments';
import { EXIT, Stop } from './exit';
import { number, show, showAny, type Connect } from './session';

const LEVELS = ['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE', 'ALL'];
const LOGCONF = '/admin/v1/logconf';
const FEEDBACK = '/userfeedback/v1';

/** Owner of loggers; without any: those of the processes. */
interface Scope {
  readonly context?: string;
  readonly user?: string;
  readonly session?: string;
}

/** `logconf`: what the processes write into their logs. */
export function addLogging(program: Command, connect: Connect): void {
  const logconf = program.command('logconf').description('Manages levels of loggers while the processes run');
  scoped(logconf.command('list').description('Lists loggers and their levels')).action(async (scope: Scope) => {
    const session = connect();
    showAny(session, await session.client.send('GET', `${pathOf(scope)}/loggers`));
  });
  scoped(logconf.command('set').description('Sets the level of a logger and of those below it'))
    .argument('<logger>', 'name, such as calendar.conflicts')
    .addArgument(logconf.createArgument('<level>', 'new level').argParser((level: string) => known(level)))
    .action(async (logger: string, level: string, scope: Scope) => {
      const session = connect();
      showAny(session, await session.client.send('PUT', loggerOf(scope, logger), { body: level }));
    });
  scoped(logconf.command('unset').description('Removes the level of a logger of a context, a user or a session'))
    .argument('<logger>', 'name, such as calendar.conflicts')
    .action(async (logger: string, scope: Scope) => {
      if (pathOf(scope) === LOGCONF) throw new Stop(EXIT.usage, 'one of --context, --user and --session is needed');
      const session = connect();
      showAny(session, await session.client.send('DELETE', loggerOf(scope, logger)));
    });
}

const scoped = (command: Command): Command =>
  command
    .option('--context <context>', 'of a context', number)
    .option('--user <id>', 'of a user of the context', number)
    .addOption(new Option('--session <id>', 'of a session').conflicts(['context', 'user']));

function known(level: string): string {
  const wanted = level.toUpperCase();
  if (!LEVELS.includes(wanted)) throw new Stop(EXIT.usage, `${level} is no level: ${LEVELS.join(', ')}`);
  return wanted;
}

function pathOf({ context, user, session }: Scope): string {
  if (user !== undefined && context === undefined) throw new Stop(EXIT.usage, '--user needs --context');
  if (session !== undefined) return `${LOGCONF}/sessions/${encodeURIComponent(session)}`;
  if (context === undefined) return LOGCONF;
  return `${LOGCONF}/contexts/${context}${user === undefined ? '' : `/users/${user}`}`;
}

const loggerOf = (scope: Scope, logger: string): string => `${pathOf(scope)}/loggers/${encodeURIComponent(logger)}`;

/** Which feedback. */
interface Range {
  readonly contextGroup: string;
  readonly start?: string;
  readonly end?: string;
}

/** `feedback`: what users told, with the credentials of cooperating services. */
export function addFeedback(program: Command, connect: Connect): void {
  const feedback = program
    .command('feedback')
    .description('Manages the feedback of users, with the credentials of cooperating services');
  const add = (verb: string, doc: string): Command =>
    feedback
      .command(verb)
      .description(doc)
      .argument('<type>', 'star-rating-v1 or nps-v1')
      .option('--context-group <name>', 'group of contexts', 'default')
      .option('--start <ms>', 'entries after this, ms UTC', milliseconds)
      .option('--end <ms>', 'entries before this, ms UTC', milliseconds);
  const at = (type: string, { contextGroup }: Range): string => [contextGroup, type].map(encodeURIComponent).join('/');
  add('export', 'Prints entries as CSV, or with --json as JSON')
    .option('--delimiter <character>', 'separates cells')
    .action(async (type: string, { delimiter, ...range }: Range & { delimiter?: string }) => {
      const session = connect();
      const path = `${FEEDBACK}/export/${at(type, range)}`;
      const query = { start: range.start, end: range.end };
      if (session.json) return showAny(session, await session.client.send('GET', `${path}/raw`, { query }));
      session.terminal.out(await session.client.text('GET', path, { query: { ...query, delimiter } }));
    });
  add('send', 'Sends entries as CSV by mail')
    .requiredOption('--to <address...>', 'mail addresses')
    .option('--subject <text>', 'subject')
    .option('--compress', 'compress the attachment')
    .option('--pgp-key-file <file>', 'public key of the recipients: mails are encrypted')
    .action(
      async (
        type: string,
        options: Range & { to: string[]; subject?: string; compress?: boolean; pgpKeyFile?: string },
      ) => {
        const { to, subject, compress, pgpKeyFile, ...range } = options;
        const key = pgpKeyFile === undefined ? {} : { pgp_key: await readFile(pgpKeyFile, 'utf8') };
        const recipients = to.map((address) => ({ address, ...key }));
        const session = connect();
        const parts = { query: { start: range.start, end: range.end }, body: { subject, compress, recipients } };
        showAny(session, await session.client.send('POST', `${FEEDBACK}/send/${at(type, range)}`, parts));
      },
    );
  add('delete', 'Deletes entries').action(async (type: string, range: Range) => {
    const session = connect();
    const query = { start: range.start, end: range.end };
    showAny(session, await session.client.send('DELETE', `${FEEDBACK}/${at(type, range)}`, { query }));
  });
}

function milliseconds(text: string): string {
  if (!/^\d{1,15}$/.test(text)) throw new Stop(EXIT.usage, `${text} is no time in ms`);
  return text;
}

/** `demo`: the context to try things in. */
export function addDemo(program: Command, connect: Connect): void {
  program
    .command('demo')
    .description(
      'Makes context 1 with an administrator, ten people, two groups and three resources; prints logins once',
    )
    .option('--public-url <url>', 'address for clients: makes a few appointments there, too')
    .action(async ({ publicUrl }: { publicUrl?: string }) => {
      const session = connect();
      const password = randomBytes(9).toString('base64url');
      const create = (path: string, body: object) =>
        session.client.send<{ id: number }>('POST', `/admin/v1/contexts${path}`, { body });
      const context = await create('', demoContext(password));
      const ids = new Map<string, number>();
      for (const person of DEMO.people)
        ids.set(person.name, (await create(`/${context.id}/users`, { ...demoPerson(person), password })).id);
      for (const { members, ...group } of DEMO.groups)
        ids.set(
          group.name,
          (await create(`/${context.id}/groups`, { ...group, members: members.map((name) => ids.get(name)) })).id,
        );
      for (const resource of DEMO.resources)
        ids.set(resource.name, (await create(`/${context.id}/resources`, demoResource(resource))).id);
      const appointments = publicUrl === undefined ? 0 : await makeAppointments(publicUrl, password, ids);
      const logins = [DEMO.admin, ...DEMO.people.map(({ name }) => name)].map((name) => `${name}@${DEMO.name}`);
      const text = [...logins, `password of all of them: ${password}`].join('\n');
      show(session, { contextId: context.id, logins, password, appointments }, text);
    });
}
