import { MailErrors } from '@groupware/contracts';

/** Where the files are that go with a mail as a link, as a header of it tells. */
export interface ShareReference {
  /** Token of the link. */
  readonly shareToken: string;
  readonly contextId: number;
  readonly userId: number;
  /** Folder of the files. */
  readonly folder: string;
  /** When the link ends, ms UTC. */
  readonly expiration?: number;
}

/** Parses the header of a mail, which anybody may have written. @throws MSG-0103 */
export function parseShareReference(text: string): ShareReference {
  // Headers are folded, and clients hand them over as they came.
  const packed = text.replace(/\s+/g, '');
  const { shareToken, contextId, userId, folder, expiration } = parseObject(packed);
  const isPlace = typeof shareToken === 'string' && isId(contextId) && isId(userId) && typeof folder === 'string';
  const hasEnd = expiration === undefined || Number.isSafeInteger(expiration);
  if (!isPlace || !hasEnd || !/^[\w-]{1,256}$/.test(shareToken) || !/^\d{1,9}$/.test(folder))
    throw MailErrors.badValue('reference');
  return {
    ...{ shareToken, contextId, userId, folder },
    ...(expiration === undefined ? {} : { expiration: expiration as number }),
  };
}

function parseObject(packed: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(packed, 'base64url').toString());
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;
