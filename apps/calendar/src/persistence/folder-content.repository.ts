import { Injectable } from '@nestjs/common';
import type { FolderCounts } from '@groupware/contracts';
import {
  countReadableObjects,
  coversCreator,
  listUndeletableFolders,
  RANKED_FOLDERS,
  rankedValues,
  type CountedFolder,
  type RankedFolder,
} from '@groupware/folders';
import type { Reader, Transaction } from '@groupware/persistence';
import type { Appointment } from '../domain/appointment';
import { APPOINTMENT, AppointmentRepository, USERS } from './appointment.repository';
import { isOpen, isParticipant } from './view-sources';

/** An appointment with the folders from which it goes. */
export interface DeletableAppointment extends Appointment {
  readonly deletableFrom: readonly number[];
}

/** Private appointments of others are hidden; see the views. The folder is looked up for these alone. */
const UNHIDDEN = `(a.classification < 2 or ${isOpen(
  'exists (select from folder o where o.context_id = $1 and o.id = x.id and o.type = 1 and o.created_by = $2)',
)})`;

/**
 * Appointments `a` that are seen in folder `x`. On an own one of the folder `m`, the appointment or the series to which it belongs,
 * decides: exceptions go with their series and never without it. For those of others it is `a` itself.
 */
const SEEN = `(
  select a.id, coalesce(s.id, a.id) as m_id from appointment a
    left join appointment s on s.context_id = $1 and s.id = a.series_id
    where a.context_id = $1 and a.folder_id = x.id
  union
  select t.appointment_id, t.appointment_id from attendee t join appointment a on a.context_id = $1 and a.id = t.appointment_id
    where t.context_id = $1 and t.folder_id = x.id and not t.hidden and a.folder_id <> x.id)`;
const SEEN_IN = `lateral ${SEEN} e join appointment a on a.context_id = $1 and a.id = e.id
  join appointment m on m.context_id = $1 and m.id = e.m_id`;
/** The user reads appointment `a` of folder `x`, or sees when it is: as `visibilityOf` tells. */
const visible = (a: 'a' | 'm', hides: '> 0' | '> 1'): string =>
  `(${coversCreator('read_rank', `${a}.created_by`)}
      and (not ${a}.classification ${hides} or ${isOpen('x.is_own', a)})
    or ${a}.is_public and ${a}.folder_id = x.id and ${isParticipant(a)})`;
/** The user may delete the appointment from folder `x`, as `requireReadable` and `requireDeletable` tell. */
const DELETABLE = `(${coversCreator('rank', 'm.created_by')} and ${visible('m', '> 0')})`;

/** Content of whole calendar folders, for folders that are emptied, deleted or handed over. */
@Injectable()
export class FolderContentRepository {
  constructor(private readonly appointments: AppointmentRepository) {}

  /**
   * Counts the appointments and series of folders that a user may read, also those in which the owner of the folder takes
   * part; confidential ones of others, too, whose times he sees. Exceptions belong to their series.
   */
  countReadable(db: Reader, folders: readonly CountedFolder[], userId: number): Promise<Map<number, FolderCounts>> {
    return countReadableObjects(
      db,
      folders,
      userId,
      `(
           select count(*)::int from appointment a
           where a.context_id = $1 and a.folder_id = x.id and a.recurrence_local is null and (x.rank > 1 or a.created_by = $2)
             and ${UNHIDDEN}
         ) + (
           select count(*)::int from attendee t join appointment a on a.context_id = $1 and a.id = t.appointment_id
           where t.context_id = $1 and t.folder_id = x.id and not t.hidden and a.folder_id <> x.id
             and a.recurrence_local is null and (x.rank > 1 or a.created_by = $2) and ${UNHIDDEN}
         ) + (
           select count(*)::int from feed_event e
           where e.context_id = $1 and e.folder_id = x.id and (e.series_id is null or e.series_id = e.id)
         )`,
    );
  }

  /** Ids of folders that hold an appointment which the user may not delete, or birthdays. */
  listUndeletable(db: Reader, folders: readonly RankedFolder[], userId: number): Promise<ReadonlySet<number>> {
    return listUndeletableFolders(
      db,
      folders,
      userId,
      `exists (select from ${SEEN_IN} where not ${DELETABLE})
         or exists (select from feed f where f.context_id = $1 and f.folder_id = x.id and f.provider = 'birthdays')`,
    );
  }

  /** Ids of folders that hold an appointment which the user sees, if only that there is one, and may not delete. */
  listProtected(db: Reader, folders: readonly RankedFolder[], userId: number): Promise<ReadonlySet<number>> {
    const holds = `exists (select from ${SEEN_IN} where ${visible('a', '> 1')} and not ${DELETABLE})`;
    return listUndeletableFolders(db, folders, userId, holds);
  }

  /**
   * Some appointments that are seen in folders from which the user may delete them, masters and exceptions included, in the order of
   * their ids; locked.
   */
  listDeletable(
    tx: Transaction,
    folders: readonly RankedFolder[],
    userId: number,
    limit: number,
  ): Promise<DeletableAppointment[]> {
    return tx.objects<DeletableAppointment>(
      `select ${APPOINTMENT}, d.folders as "deletableFrom" from (
         select a.id, array_agg(x.id) as folders from ${RANKED_FOLDERS}, ${SEEN_IN}
         where ${DELETABLE} group by a.id order by a.id limit $7) d
       join appointment a on a.context_id = $1 and a.id = d.id
       order by a.id for update of a`,
      ...rankedValues(userId, folders),
      limit,
    );
  }

  /**
   * Some appointments that a user organizes in folders and in which other users take part, with all of their series; locked.
   * Private and confidential ones are left out.
   */
  listMeetings(tx: Transaction, userId: number, folders: readonly number[], limit: number): Promise<Appointment[]> {
    return tx.objects<Appointment>(
      `select ${APPOINTMENT} from appointment a
       where a.context_id = $1 and a.folder_id = any($3::int[]) and a.organizer_id = $2
         and not exists (
           select from appointment s where s.context_id = $1 and s.classification > 0
             and s.id = coalesce(a.series_id, a.id))
         and exists (
           select from attendee t
           where t.context_id = $1 and t.type = 1 and t.entity <> $2 and not t.hidden and t.appointment_id in (
             select a.id union all
             select s.id from appointment s where s.context_id = $1 and s.series_id = a.series_id))
       order by a.id limit $4 for update of a`,
      userId,
      folders,
      limit,
    );
  }

  /** Appointments of a user and of folders after an id, in the order of their ids; locked. */
  listByUserOrFolders(
    tx: Transaction,
    userId: number,
    folders: readonly number[],
    afterId: number,
    limit: number,
  ): Promise<Appointment[]> {
    return tx.objects<Appointment>(
      `select ${APPOINTMENT} from appointment a where a.context_id = $1 and a.id > $4 and a.id in (
         select id from appointment where context_id = $1 and folder_id = any($3::int[])
         union
         select appointment_id from attendee where context_id = $1 and type = 1 and entity = $2)
       order by a.id limit $5 for update of a`,
      userId,
      folders,
      afterId,
      limit,
    );
  }

  /** Removes appointments of other users from folders: the owners of these folders no longer take part. */
  async removeFromFolders(
    tx: Transaction,
    appointments: readonly DeletableAppointment[],
    stamp: number,
  ): Promise<void> {
    this.appointments.insertTombstones(
      tx,
      appointments.flatMap((appointment) =>
        appointment.attendees
          .filter(
            ({ folderId, hidden }) => folderId !== null && !hidden && appointment.deletableFrom.includes(folderId),
          )
          .map(({ folderId }) => ({ folderId: folderId!, appointment })),
      ),
      stamp,
    );
    const ids = appointments.map(({ id }) => id);
    const places = appointments.flatMap(({ id, deletableFrom }) => deletableFrom.map((folder) => ({ id, folder })));
    await tx.run(
      `update attendee t set hidden = true, confirm = 2, folder_id = null
       from unnest($2::int[], $3::int[]) as d (id, folder)
       where t.context_id = $1 and t.appointment_id = d.id and t.folder_id = d.folder`,
      places.map(({ id }) => id),
      places.map(({ folder }) => folder),
    );
    await tx.run(
      `update appointment a set last_modified = $3, users = ${USERS} where a.context_id = $1 and a.id = any($2::int[])`,
      ids,
      stamp,
    );
  }
}
