import { reply, type CatalogueError, type Reply } from '@groupware/contracts';
import type { WrittenResult } from './written-document';

/** The answer of a write: the id, or with `extendedResponse` the object and what was done with it. */
export function toWrittenReply(
  { id, document, saveAction, timestamp }: WrittenResult,
  isExtended: boolean | undefined,
  warnings: readonly CatalogueError[] = [],
): Reply<string | object> {
  const { current, folderId, versions } = document;
  const object = {
    id,
    folder_id: id.slice(0, id.indexOf('/')) || String(folderId),
    title: current.title,
    filename: current.filename,
    version: String(current.version),
    number_of_versions: versions,
    file_size: current.sizeBytes,
    file_mimetype: current.mimeType,
    last_modified: document.lastModified,
    save_action: saveAction,
  };
  return reply<string | object>(isExtended ? object : id, { timestamp, warnings });
}
