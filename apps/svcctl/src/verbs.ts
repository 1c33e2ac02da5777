import type { Command } from 'commander';
import { assignments } from './assignments';
import { bodyOf } from './body';
import { fields } from './output';
import { number, show, type Connect } from './session';
import { readSecret } from './terminal';

/** Makes the command of a verb; with `id` it names one thing. */
export type Verb = (name: string, doc: string, id: boolean) => Command;
/** Path of the REST API for positional arguments. */
export type PathOf = (args: readonly string[]) => string;
/** Positional arguments of an action. */
export type Positional = (args: readonly unknown[]) => string[];
/** Options of an action. */
export type OptionsOf = <T>(args: readonly unknown[]) => T;

/** `reseller set`: one is made and replaced as a whole. */
export function addResellerSet(program: Command, connect: Connect): void {
  program.commands
    .find((command) => command.name() === 'reseller')!
    .command('set')
    .aliases(['create', 'change'])
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

/** `context enable` and `disable`. */
export function addContextVerbs(command: Command, connect: Connect): void {
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

/** Adds what can be done with a user besides changing him. */
export function addUserVerbs(command: Command, connect: Connect): void {
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

/** `group add-member` and `remove-member`. */
export function addMemberVerbs(command: Command, connect: Connect): void {
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

/** `access`: the modules that a user or the users of a context may use. */
export function addAccess(
  verb: Verb,
  pathOf: PathOf,
  positional: Positional,
  optionsOf: OptionsOf,
  connect: Connect,
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

/** `config`: properties of a context or user. */
export function addConfig(verb: Verb, pathOf: PathOf, positional: Positional, connect: Connect): void {
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
