import type { TestUser } from '../fixtures';
import { created, HOUR } from '../calendar/calendar';

/** One file of a form. */
export interface FormFile {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly type?: string;
  /** Fields of the JSON part beyond those of the object. */
  readonly json?: Record<string, unknown>;
}

/** An appointment seen through a folder, as parameters of the module. */
export interface Target {
  readonly attached: number;
  readonly folder: number;
  readonly module: number;
}

let hours = 0;

/** A new appointment in the default folder. */
export async function newObject(player: TestUser, fields: Record<string, unknown> = {}): Promise<Target> {
  const start = Date.UTC(2031, 0, 1) + hours++ * HOUR;
  const id = await created(player, { start_date: start, end_date: start + HOUR, ...fields });
  return { attached: Number(id), folder: Number(player.folder), module: 1 };
}

/** The form of an upload. */
export function formOf(target: Record<string, unknown>, files: readonly FormFile[]): FormData {
  const form = new FormData();
  files.forEach(({ name, content, type = 'text/plain', json = {} }, index) => {
    form.set(`json_${index}`, JSON.stringify({ ...target, ...json }));
    form.set(`file_${index}`, new Blob([content], { type }), name);
  });
  return form;
}

/** The envelope in the page that answers a form upload. */
export function envelopeOf(page: string): any {
  const match = /\((\{.*\})\)/s.exec(page);
  if (!match) throw new Error(`no envelope in ${page}`);
  return JSON.parse(match[1]!);
}

/** Uploads files; answers the envelope of the page. */
export async function attach(player: TestUser, target: object, files: readonly FormFile[]): Promise<any> {
  const response = await player.fetch(
    'POST',
    '/attachment',
    { action: 'attach', session: player.session },
    { body: formOf({ ...target }, files) },
  );
  return envelopeOf(await response.text());
}

/** Keeps a picture for a while, as clients do while a text is written; answers its id. */
export async function uploadPicture(player: TestUser, bytes: Buffer): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'dot.png');
  const query = { action: 'new', session: player.session, module: 'mail', type: 'image' };
  return envelopeOf(await (await player.fetch('POST', '/file', query, { body: form })).text()).data[0];
}

/** Uploads files that must be taken; answers their ids. */
export async function attachFiles(player: TestUser, target: object, files: readonly FormFile[]): Promise<number[]> {
  const answer = await attach(player, target, files);
  if (!answer.data) throw new Error(JSON.stringify(answer));
  return answer.data;
}

/** Text files by name, each attached by a request of its own. */
export async function attachedOneByOne(player: TestUser, target: object, names: readonly string[]): Promise<number[]> {
  const ids: number[] = [];
  for (const name of names) ids.push(...(await attachFiles(player, target, [{ name, content: `content of ${name}` }])));
  return ids;
}

/** The answer with the bytes of an attachment. */
export const download = (
  player: TestUser,
  target: Target,
  id: number,
  parameters: Record<string, string | number | boolean> = {},
  init: RequestInit = {},
): Promise<Response> =>
  player.fetch(
    'GET',
    '/attachment',
    { action: 'document', session: player.session, id, ...target, ...parameters },
    init,
  );

/** Rows of an action that reads an object. */
export async function rows(
  player: TestUser,
  action: 'all' | 'updates',
  target: Target,
  columns: string,
  parameters: Record<string, string | number> = {},
): Promise<any[]> {
  const answer = await player.get('attachment', action, { ...target, columns, ...parameters });
  if (!answer.data) throw new Error(JSON.stringify(answer));
  return answer.data;
}

/** Column 104 and the stamps of an appointment. */
export async function countOf(player: TestUser, { attached: id }: Target): Promise<any> {
  const answer = await player.get('calendar', 'get', { id, folder: player.folder, timezone: 'UTC' });
  if (!answer.data) throw new Error(JSON.stringify(answer));
  return answer.data;
}
