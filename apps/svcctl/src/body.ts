import { readFile } from 'node:fs/promises';
import { assignments } from './assignments';
import { EXIT, Stop } from './exit';
import type { Terminal } from './terminal';
import { LIST_FIELDS, TEXT_FIELDS, type Thing } from './things';

/** The body of a creation or change: file, then options, then `--set`. */
export async function bodyOf(
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
    if (typeof value === 'string') place(body, field, parseValue(field, value));
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

function parseValue(field: string, text: string): unknown {
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

/** Sets a field that may lie deeper: `a.b`. */
export function place(body: Record<string, unknown>, field: string, value: unknown): void {
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

/** True when the body has the field, which may lie deeper. */
export const has = (body: Record<string, unknown>, field: string): boolean =>
  field.split('.').reduce<unknown>((value, part) => (isObject(value) ? value[part] : undefined), body) !== undefined;
