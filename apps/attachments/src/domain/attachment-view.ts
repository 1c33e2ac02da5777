import { RequestErrors, type UserPrincipal } from '@groupware/contracts';
import { resolveTimeZone, ZoneOffsets } from '@groupware/recurrence';

/** View of a request: folder of the object, and time zone of the reader. */
export interface AttachmentView {
  readonly folder: number;
  readonly zone: ZoneOffsets;
}

/** Creates the view of a request. @throws SVL-0010 for an unknown zone */
export function createView(
  user: UserPrincipal,
  query: { readonly folder: number; readonly timezone?: string },
): AttachmentView {
  const zone = resolveTimeZone(query.timezone || user.timeZone);
  if (!zone && query.timezone) throw RequestErrors.badParameter('timezone', query.timezone);
  return { folder: query.folder, zone: ZoneOffsets.forZone(zone ?? 'UTC') };
}
