import { CommanderError } from 'commander';
import { EXIT } from './exit';
import { fields, table } from './output';
import type { RestClient } from './rest-client';
import type { Terminal } from './terminal';

const JOB_POLL_MS = 1_000;

/** One run of the program: whom it talks to, and how it answers. */
export interface Session {
  readonly client: RestClient;
  readonly terminal: Terminal;
  readonly json: boolean;
}

/** Opens the session with the options of the command line. */
export type Connect = () => Session;

/** Work that goes on after the call that began it. */
export interface Job {
  readonly contextId: number;
  readonly id: string;
  readonly state: string;
  readonly errors: readonly unknown[];
  readonly result?: { readonly errors?: readonly unknown[] };
}

/** Waits for so many ms. */
export const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Prints an answer: as JSON where that was asked for, else the text. */
export function show(session: Session, value: unknown, text: string): void {
  const shown = session.json ? JSON.stringify(value ?? null, undefined, 2) : text;
  if (shown !== '') session.terminal.out(`${shown}\n`);
}

/** Prints any answer; as text, a table where it is a list. */
export function showAny(session: Session, value: unknown): void {
  show(session, value, textOf(value));
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  const { items } = value as { items?: object[] };
  const rows = Array.isArray(value) ? (value as object[]) : items;
  if (!rows) return fields(value);
  return table(rows, [...new Set(rows.flatMap((row) => Object.keys(row)))]);
}

/** Waits for the end of a job. */
export async function waitForEnd(session: Session, begun: Job): Promise<Job> {
  let job = begun;
  while (job.state === 'running') {
    await pause(JOB_POLL_MS);
    job = await session.client.send<Job>('GET', `/admin/v1/contexts/${job.contextId}/jobs/${job.id}`);
  }
  return job;
}

/** A whole number, as text; anything else is a usage error. */
export function number(text: string): string {
  if (!/^\d{1,10}$/.test(text))
    throw new CommanderError(EXIT.usage, 'svcctl.number', `${JSON.stringify(text)} is no number`);
  return text;
}
