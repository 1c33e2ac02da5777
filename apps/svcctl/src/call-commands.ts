import type { Command } from 'commander';
import { place } from './body';
import { CALLS, type CallCommand, type CallOption } from './calls';
import { EXIT, Stop } from './exit';
import { waitForEnd, number, showAny, type Connect, type Job } from './session';

/** Adds the commands that are one call each, below the command of their thing. */
export function addCalls(program: Command, connect: Connect): void {
  for (const call of CALLS) {
    const thing =
      program.commands.find((command) => command.name() === call.thing) ??
      program.command(call.thing).description(`Manages ${call.thing}s`);
    addCall(thing, call, connect);
  }
}

function addCall(thing: Command, call: CallCommand, connect: Connect): void {
  const command = thing
    .command(call.verb)
    .aliases(call.aliases ?? [])
    .description(call.doc);
  for (const { name, kind, doc } of call.arguments)
    if (kind === 'number') command.argument(`<${name}>`, doc, number);
    else command.argument(`<${name}>`, doc);
  for (const [name, option] of Object.entries(call.options ?? {})) {
    const flags = option.kind === 'flag' ? `--${name}` : `--${name} <value>`;
    if (option.required) command.requiredOption(flags, option.doc);
    else command.option(flags, option.doc);
  }
  if (call.job) command.option('--wait', 'wait for the end of the job');
  command.action(async (...all: unknown[]) => {
    const options = all.at(-2) as Record<string, string | boolean | undefined>;
    const session = connect();
    const { query, body } = partsOf(call, options);
    const path = call.path(...(all.slice(0, -2) as string[]));
    const sendsBody = call.method !== 'GET' && call.method !== 'DELETE';
    const answer = session.client.send<object | undefined>(call.method, path, {
      query,
      ...(sendsBody ? { body } : {}),
    });
    if (call.exists) {
      await answer;
      return showAny(session, { exists: true });
    }
    const value = await answer;
    const shown = call.job && options.wait && value ? await waitForEnd(session, value as Job) : value;
    showAny(session, shown);
    if ((shown as { state?: string } | undefined)?.state === 'failed') throw new Stop(EXIT.refused, 'The job failed.');
  });
}

function partsOf(
  call: CallCommand,
  options: Readonly<Record<string, string | boolean | undefined>>,
): { query: Record<string, string | number | boolean>; body: Record<string, unknown> } {
  const parts: { query: Record<string, string | number | boolean>; body: Record<string, unknown> } = {
    query: {},
    body: {},
  };
  for (const [name, option] of Object.entries(call.options ?? {})) {
    const given = options[name.replace(/-(.)/g, (_match, letter: string) => letter.toUpperCase())];
    if (given !== undefined) place(parts[option.to], option.field, valueOf(name, option, given));
  }
  return parts;
}

function valueOf(name: string, option: CallOption, given: string | boolean): unknown {
  if (typeof given === 'boolean' || option.kind === 'text') return given;
  if (option.kind === 'texts')
    return given
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  const value = Number(given);
  if (given.trim() === '' || !Number.isFinite(value)) throw new Stop(EXIT.usage, `--${name} ${given} is no number`);
  return value;
}
