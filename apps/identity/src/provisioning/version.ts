import { reply, RestErrors, type EdgeRequest, type Reply } from '@groupware/contracts';

/** Requires the version of If-Match. @throws REST-0412 */
export function requireVersion(edge: EdgeRequest | undefined, version: number): void {
  const header = edge?.headers['if-match']?.trim();
  if (!header || header === '*') return;
  const wanted = header.split(',').map((tag) => tag.trim().replace(/^(W\/)?"?|"$/g, ''));
  if (!wanted.includes(String(version))) throw RestErrors.versionMismatch(version, wanted.join(', '));
}

/** Replies with the version as ETag, for the If-Match of the next change. */
export const toVersionedReply = <T extends { version: number }>(
  data: T,
  headers: Record<string, string> = {},
): Reply<T> => reply(data, { headers: { ETag: `"${data.version}"`, ...headers } });
