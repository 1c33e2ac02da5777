import { Command } from 'commander';
import { bodyOf, has, place } from './body';
import { fields, table } from './output';
import { number, show, type Connect } from './session';
import { readSecret } from './terminal';
import type { Thing } from './things';
import { addAccess, addConfig, addContextVerbs, addMemberVerbs, addUserVerbs } from './verbs';

interface Page {
  readonly items: object[];
  readonly next?: string;
}

/** Verbs that all things have unless they say otherwise. */
const STANDARD_VERBS: ReadonlySet<string> = new Set(['list', 'create', 'show', 'change', 'delete']);

/** Adds the command of a thing with its verbs. */
export function addThing(program: Command, thing: Thing, connect: Connect): void {
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
