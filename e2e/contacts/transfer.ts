import type { TestUser } from '../fixtures';

/** Uploads a file of contacts as the form of a browser does. */
export function uploadFile(
  user: TestUser,
  action: string,
  contents: readonly (string | Uint8Array)[],
  parameters: object = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  const form = new FormData();
  form.append('note', 'text');
  for (const content of contents) form.append('file', new Blob([content]), 'contacts');
  return user.fetch('POST', '/import', { action, session: user.session, ...parameters }, { body: form, headers });
}

/** Imports a file; the envelope. */
export async function importFile(
  user: TestUser,
  action: string,
  folder: string,
  content: string | Uint8Array,
  parameters: object = {},
): Promise<any> {
  const response = await uploadFile(user, action, [content], { folder, plainJson: true, ...parameters });
  return response.json();
}

/** Exports a folder; the response. */
export const exportFolder = (user: TestUser, action: string, folder: string, parameters: object = {}) =>
  user.fetch('GET', '/export', { action, session: user.session, folder, ...parameters });

/** A vCard of some version. */
export const card = (version: string, ...lines: string[]): string =>
  ['BEGIN:VCARD', `VERSION:${version}`, ...lines, 'END:VCARD', ''].join('\r\n');

/** The code of the error that a call is answered with. */
export async function codeOf(response: Promise<Response>): Promise<string | undefined> {
  return ((await (await response).json()) as { code?: string }).code;
}
