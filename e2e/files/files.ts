import type { Client, Envelope } from '../client';
import { createFixtures, type Fixtures, type TestUser } from '../fixtures';
import type { TestEnvironment } from '../test-environment';

/** Larger than any timestamp. */
export const FORCE = '9223372036854775807';
/** Permission bits: read all; write all; all rights. */
export const BITS = { viewer: 257, author: 4227332, administrator: 403710016 } as const;

/** The people of the scenarios with folders of files of U1. */
export interface FileFixtures extends Fixtures {
  /** Own folder of files of U1. */
  readonly P1: string;
  /** Trash of U1. */
  readonly T1: string;
  /** Own folder of files of U2. */
  readonly P2: string;
  readonly A: string;
  readonly B: string;
}

/** A new folder of files; its owner has all rights, others those that are given. */
export async function createFolder(
  user: TestUser,
  parent: string,
  rights: readonly (readonly [entity: number, bits: number])[] = [],
  title = `F ${Math.random()}`,
): Promise<string> {
  const permissions = [
    { entity: user.userId, group: false, bits: BITS.administrator },
    ...rights.map(([entity, bits]) => ({ entity, group: false, bits })),
  ];
  const body = { title, module: 'infostore', permissions };
  const answer = await user.put('folders', 'new', { folder_id: parent, tree: 0 }, body);
  if (!answer.data) throw new Error(JSON.stringify(answer));
  return String(answer.data);
}

/** The value of a leaf of the configuration tree. */
const configOf = async (user: Client, path: string): Promise<string> => {
  const response = await user.fetch('GET', `/config/${path}`, { session: user.session });
  const answer = (await response.json()) as Envelope;
  if (answer.data === undefined) throw new Error(JSON.stringify(answer));
  return String(answer.data);
};

/** The own folder of files of a user. */
export const homeOf = (user: Client): Promise<string> => configOf(user, 'folder/infostore');

/** The trash of a user. */
export const trashOf = (user: Client): Promise<string> => configOf(user, 'modules/infostore/folder/trash');

/** The people with their folders. */
export async function createFileFixtures(world: TestEnvironment): Promise<FileFixtures> {
  const fixtures = await createFixtures(world);
  const { U1, U2 } = fixtures;
  const [P1, T1, P2] = await Promise.all([homeOf(U1), trashOf(U1), homeOf(U2)]);
  const [A, B] = await Promise.all([createFolder(U1, P1), createFolder(U1, P1)]);
  return { ...fixtures, P1, T1, P2, A, B };
}

/** The envelope in the page that answers forms. */
function readPage(text: string): Envelope {
  const match = /\((\{.*\})\)/s.exec(text);
  if (!match) throw new Error(text.slice(0, 500));
  return JSON.parse(match[1]!) as Envelope;
}

/** A form with JSON and perhaps a file. */
export function toForm(
  json: object | string,
  file?: { name: string; bytes: string | Uint8Array; type?: string },
): FormData {
  const form = new FormData();
  form.set('json', typeof json === 'string' ? json : JSON.stringify(json));
  if (file) {
    const bytes = typeof file.bytes === 'string' ? file.bytes : new Uint8Array(file.bytes);
    form.append('file', new Blob([bytes], { type: file.type ?? 'text/plain' }), file.name);
  }
  return form;
}

/** Sends a form to an action; the envelope of its page. */
export async function post(
  user: Client,
  action: string,
  parameters: Record<string, string | number | boolean>,
  form: FormData,
): Promise<Envelope> {
  const query = { action, session: user.session, ...parameters };
  const response = await user.fetch('POST', '/infostore', query, { body: form });
  return readPage(await response.text());
}

/** Uploads a file; the answer. */
export const tryUpload = (
  user: Client,
  folder: string,
  name: string,
  bytes: string | Uint8Array = name,
  json: object = {},
  parameters: Record<string, string | number | boolean> = {},
): Promise<Envelope> => post(user, 'new', parameters, toForm({ folder_id: folder, ...json }, { name, bytes }));

/** Uploads a file; its id. */
export async function upload(...parameters: Parameters<typeof tryUpload>): Promise<string> {
  const answer = await tryUpload(...parameters);
  if (typeof answer.data !== 'string') throw new Error(JSON.stringify(answer));
  return answer.data;
}

/** Sends a new version of a document; the answer. */
export const addVersion = (
  user: Client,
  id: string,
  bytes: string | Uint8Array,
  json: object = {},
  parameters: Record<string, string | number | boolean> = {},
  name = '',
): Promise<Envelope> =>
  post(user, 'update', { id, timestamp: FORCE, ...parameters }, toForm(json, { name: name || 'v.txt', bytes }));

/** The answer of `new` without file. */
export const tryCreate = (user: Client, body: object, parameters: Record<string, string> = {}): Promise<Envelope> =>
  user.put('infostore', 'new', parameters, body);

/** Reads one document. */
export const read = (user: Client, id: string, parameters: Record<string, string | number> = {}): Promise<Envelope> =>
  user.get('infostore', 'get', { id, folder: id.split('/')[0]!, ...parameters });

/** The data of one document. */
export async function dataOf(user: Client, id: string, parameters: Record<string, string | number> = {}): Promise<any> {
  const answer = await read(user, id, parameters);
  if (!answer.data) throw new Error(JSON.stringify(answer));
  return answer.data;
}

/** Changes a document, whatever its timestamp. */
export const change = (
  user: Client,
  id: string,
  body: object,
  parameters: Record<string, string | number | boolean> = {},
): Promise<Envelope> => user.put('infostore', 'update', { id, timestamp: FORCE, ...parameters }, body);

/** Rows of a folder. */
export const all = (
  user: Client,
  folder: string,
  columns: string | undefined = '1',
  parameters: Record<string, string | number> = {},
): Promise<Envelope<any[][]>> => user.get('infostore', 'all', { folder, columns, ...parameters });

/** One column of a folder. */
export async function column(user: Client, folder: string, name: string | number): Promise<any[]> {
  const answer = await all(user, folder, String(name));
  if (!answer.data) throw new Error(JSON.stringify(answer));
  return answer.data.map(([value]) => value);
}

/** Deletes documents. */
export const remove = (
  user: Client,
  ids: readonly string[],
  parameters: Record<string, string | number | boolean> = {},
): Promise<Envelope> =>
  user.put(
    'infostore',
    'delete',
    { timestamp: FORCE, ...parameters },
    ids.map((id) => ({ id, folder: id.split('/')[0] })),
  );

/** Moves documents. */
export const move = (
  user: Client,
  ids: readonly string[],
  folder: string,
  parameters: Record<string, string | boolean> = {},
): Promise<Envelope> =>
  user.put(
    'infostore',
    'move',
    { folder, ...parameters },
    ids.map((id) => ({ id, folder: id.split('/')[0] })),
  );

/** The bytes of a document. */
export const download = (
  user: Client,
  id: string,
  parameters: Record<string, string | number | boolean> = {},
  headers: Record<string, string> = {},
): Promise<Response> =>
  user.fetch(
    'GET',
    '/infostore',
    { action: 'document', session: user.session, id, folder: id.split('/')[0]!, ...parameters },
    { headers },
  );

/** The used space of the context, bytes. */
export const usedBytes = async (user: Client): Promise<number> =>
  Number((await user.get<{ use: number }>('quota', 'filestore')).data!.use);
