import type { AppointmentData } from '@groupware/contracts';
import type { Columns } from '@groupware/persistence';
import { anonymousColumns, appointmentColumns, type ColumnSource, type FixedOffsets } from './appointment.columns';

/**
 * Source of the appointments of a view. Parameters: $2 user, $4 folder; `f` is the folder with what the user may do, or
 * tells which other folders he reads.
 */
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
  /** The folder in which it is shown. */
  readonly folder: string;
  /** The user whose alarm and answer are shown. */
  readonly calendarUser: string;
  readonly columns: Columns<AppointmentData>;
  /** Columns of a confidential appointment for other users. */
  readonly anonymous: Columns<AppointmentData>;
}

const JOIN = 'attendee t join appointment a on a.context_id = $1 and a.id = t.appointment_id';

const IN_FOLDER = { folder: 'f.id', calendarUser: '(case when f.type = 1 then f.created_by else $2::int end)' };
// Rank 2 and more reads all objects, rank 1 those one made.
const GRANTED = '(f.reads_all or f.reads_own and a.created_by = $2)';
/** User $2 takes part in an appointment. */
export const isParticipant = (appointment: string): string => `exists (
  select from attendee o
  where o.context_id = $1 and o.appointment_id = ${appointment}.id and o.type = 1 and o.entity = $2 and not o.hidden)`;
/**
 * The class of an appointment lets user $2 see it: private ones are visible to the owner of the calendar, their creator and
 * participants. `own` tells whether the calendar is that of the user.
 */
export const isOpen = (own: string, appointment = 'a'): string =>
  `(${own} or ${appointment}.classification = 0 or ${appointment}.created_by = $2 or ${isParticipant(appointment)})`;
const OPEN = isOpen('f.own');

/** SQL of the rows of a source. */
const written = (
  source: ColumnSource,
  clocks: FixedOffsets | undefined,
): Pick<ViewSource, 'columns' | 'anonymous' | 'folder' | 'calendarUser'> => ({
  ...source,
  columns: appointmentColumns(source, clocks),
  anonymous: anonymousColumns(source, clocks),
});

/** One folder `id`: its own appointments, and those of others to which its owner is invited. */
export function folderSources(clocks?: FixedOffsets, id = '$4'): readonly ViewSource[] {
  const inFolder = { granted: GRANTED, open: OPEN, ...written(IN_FOLDER, clocks) };
  return [
    { from: 'appointment a', times: 'a', member: `a.context_id = $1 and a.folder_id = ${id}`, ...inFolder },
    { from: JOIN, times: 't', member: `t.context_id = $1 and t.folder_id = ${id} and not t.hidden`, ...inFolder },
  ];
}

/** Ids of the personal folders of the user. */
export const OWN_FOLDERS = '(select o.id from folder o where o.context_id = $1 and o.created_by = $2 and o.type = 1)';

/** Everything the user takes part in. */
export function userSources(clocks?: FixedOffsets): readonly ViewSource[] {
  const own = (folder: string): Omit<ViewSource, 'from' | 'times' | 'member'> => ({
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

// `f.readable` are the folders of others and the public ones in which he reads something, `f.read_all` those in which he reads all.
const readable = (folder: string): string =>
  `(${folder} = any(f.read_all) or ${folder} = any(f.readable) and a.created_by = $2)`;
const NOT_INVITED = `not ${isParticipant('a')}`;

/** Everything in public folders in which the user reads something. */
export function publicSources(): readonly ViewSource[] {
  return [
    {
      from: 'appointment a',
      times: 'a',
      member: 'a.context_id = $1 and a.folder_id = any(f.readable)',
      granted: readable('a.folder_id'),
      open: OPEN,
      ...written({ folder: 'a.folder_id', calendarUser: '$2::int' }, undefined),
    },
  ];
}

/**
 * Everything in folders of others and in public ones that is not in {@link userSources}. An appointment that is seen in several
 * of these folders comes once: from the folder it lies in, else from the first folder of an invited user.
 */
export function otherSources(clocks?: FixedOffsets): readonly ViewSource[] {
  return [
    {
      from: 'appointment a',
      times: 'a',
      member: `a.context_id = $1 and a.folder_id = any(f.readable) and ${NOT_INVITED}`,
      granted: readable('a.folder_id'),
      open: OPEN,
      ...written(
        { folder: 'a.folder_id', calendarUser: '(case when a.is_public then $2::int else a.owner end)' },
        clocks,
      ),
    },
    {
      from: JOIN,
      times: 't',
      member: `t.context_id = $1 and t.folder_id = any(f.readable) and not t.hidden and ${NOT_INVITED}
        and a.folder_id not in ${OWN_FOLDERS} and not ${readable('a.folder_id')}
        and not exists (select from attendee e where e.context_id = $1 and e.appointment_id = a.id and not e.hidden
          and e.folder_id < t.folder_id and ${readable('e.folder_id')})`,
      granted: readable('t.folder_id'),
      open: OPEN,
      ...written({ folder: 't.folder_id', calendarUser: 't.entity' }, clocks),
    },
  ];
}
