import { RequestErrors, type AppointmentReference } from '@groupware/contracts';
import type { OccurrenceName } from './series';

/** The folder a reference names; SVL-0002 when it names none. */
export function requireFolder(reference: AppointmentReference): string {
  const folder = reference.folder ?? reference.folder_id;
  if (!folder) throw RequestErrors.missingParameter('folder');
  return folder;
}

/** The occurrence a reference or body names; both undefined when it names none. Position 0 counts as none. */
export const parseOccurrenceName = (named: {
  readonly recurrence_position?: number | null;
  readonly recurrence_date_position?: number | null;
  readonly pos?: number | null;
}): OccurrenceName => ({
  position: (named.recurrence_position ?? named.pos) || undefined,
  day: named.recurrence_date_position ?? undefined,
});

/** True when an occurrence is named. */
export const namesOccurrence = ({ position, day, original }: OccurrenceName): boolean =>
  position !== undefined || day !== undefined || original !== undefined;
