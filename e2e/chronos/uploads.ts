import { envelopeOf } from '../attachments/attachments';
import type { TestUser } from '../fixtures';
import { folderOf, type Json } from './events';

/** Sends an event with files in one form. */
export async function upload(
  player: TestUser,
  action: string,
  json: unknown,
  files: Record<string, string>,
  query: Json = {},
): Promise<Json> {
  const form = new FormData();
  if (json !== undefined) form.set('json_0', typeof json === 'string' ? json : JSON.stringify(json));
  for (const [field, content] of Object.entries(files))
    form.set(field, new Blob([content], { type: 'text/plain' }), 'a.txt');
  const parameters = { action, session: player.session, folder: folderOf(player), ...query };
  return envelopeOf(await (await player.fetch('POST', '/chronos', parameters, { body: form })).text());
}
