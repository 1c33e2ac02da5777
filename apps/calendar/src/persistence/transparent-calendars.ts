/** Condition on `folder f`: a calendar that is transparent for scheduling (RFC 6638, section 9.1), as the index `folder_transparent` has them. */
export const IS_TRANSPARENT = `f.properties #>> '{scheduleTransp,value}' = 'TRANSPARENT'`;

/**
 * Condition: the calendar in which an attendee has `appointment a` is opaque for scheduling, or the attendee is a resource.
 * @param attendee alias of its row
 */
export const isKeptBusy = (attendee: string): string =>
  `(${attendee}.type = 3 or coalesce(${attendee}.folder_id, a.folder_id) <> all(array(
     select f.id from folder f where f.context_id = $1 and ${IS_TRANSPARENT})))`;
