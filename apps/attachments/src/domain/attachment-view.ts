import { RequestErrors, type UserPrincipal } from '@groupware/contracts';
import { resolveTimeZone, ZoneOffsets } from '@groupware/recurrence';

/** How a request sees attachments: the object may be in several folders, and times depend on who reads them. */
export interface AttachmentView {
  readonly folder: number;
  readonly zone: ZoneOffsets;
}

/** The view of a request. @throws SVL-0010 for a zone that nobody knows */
export function viewOf(
  user: UserPrincipal,
  query: { readonly folder: number; readonly timezone?: string },
): AttachmentView {
  const zone = resolveTimeZone(query.timezone || user.timeZone);
  if (!zone && query.timezone) throw RequestErrors.badParameter('timezone', query.timezone);
  return { folder: query.folder, zone: ZoneOffsets.of(zone ?? 'UTC') };
}
