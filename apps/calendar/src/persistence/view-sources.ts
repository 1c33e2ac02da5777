import type { AppointmentData } from '@groupware/contracts';
import type { Columns } from '@groupware/persistence';
import { anonymousColumns, appointmentColumns, type ColumnSource, type SteadyClocks } from './appointment.columns';

/** Where the appointments of a view come from. Parameters: $2 user, $4 folder; `f` is the folder with what the user may do. */
export interface ViewSource {
  readonly from: string;
  /** Alias of the table that has the times in its index. */
  readonly times: 'a' | 't';
  /** The appointment is seen here. */
  readonly member: string;
  /** The user may read objects of this maker. */
  readonly granted: string;
  /** The class of the appointment lets the user see it. */
  readonly open: string;
  readonly columns: Columns<AppointmentData>;
  /** What others see of a confidential appointment. */
  readonly anonymous: Columns<AppointmentData>;
}

const JOIN = 'attendee t join appointment a on a.context_id = $1 and a.id = t.appointment_id';

const IN_FOLDER = { folder: 'f.id', calendarUser: '(case when f.type = 1 then f.created_by else $2::int end)' };
// Rank 2 and more reads all objects, rank 1 those one made.
const GRANTED = '(f.reads_all or f.reads_own and a.created_by = $2)';
// Private appointments are for the owner of the calendar, their maker and whoever takes part.
const OPEN = `(f.own or a.classification = 0 or a.created_by = $2 or exists (
  select from attendee o where o.context_id = $1 and o.appointment_id = a.id and o.type = 1 and o.entity = $2 and not o.hidden))`;

/** How the rows of a source are written. */
const written = (
  source: ColumnSource,
  clocks: SteadyClocks | undefined,
): Pick<ViewSource, 'columns' | 'anonymous'> => ({
  columns: appointmentColumns(source, clocks),
  anonymous: anonymousColumns(source, clocks),
});

/** One folder: its own appointments, and those of others to which its owner is invited. */
export function folderSources(clocks?: SteadyClocks): readonly ViewSource[] {
  const inFolder = { granted: GRANTED, open: OPEN, ...written(IN_FOLDER, clocks) };
  return [
    { from: 'appointment a', times: 'a', member: 'a.context_id = $1 and a.folder_id = $4', ...inFolder },
    { from: JOIN, times: 't', member: 't.context_id = $1 and t.folder_id = $4 and not t.hidden', ...inFolder },
  ];
}

const OWN_FOLDERS = '(select o.id from folder o where o.context_id = $1 and o.created_by = $2 and o.type = 1)';

/** Everything the user takes part in. */
export function userSources(clocks?: SteadyClocks): readonly ViewSource[] {
  const own = (folder: string): Pick<ViewSource, 'granted' | 'open' | 'columns' | 'anonymous'> => ({
    granted: 'true',
    open: 'true',
    ...written({ folder, calendarUser: '$2' }, clocks),
  });
  return [
    {
      from: 'appointment a',
      times: 'a',
      member: `a.context_id = $1 and a.folder_id in ${OWN_FOLDERS}`,
      ...own('a.folder_id'),
    },
    {
      from: JOIN,
      times: 't',
      member: `t.context_id = $1 and t.folder_id in ${OWN_FOLDERS} and not t.hidden`,
      ...own('t.folder_id'),
    },
    {
      from: JOIN,
      times: 't',
      member:
        't.context_id = $1 and t.entity = $2 and t.type = 1 and not t.direct and t.folder_id is null and not t.hidden',
      ...own('a.folder_id'),
    },
  ];
}
