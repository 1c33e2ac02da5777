import { Injectable } from '@nestjs/common';
import type { FolderCounts } from '@groupware/contracts';
import {
  countReadableObjects,
  listUndeletableFolders,
  type CountedFolder,
  type RankedFolder,
} from '@groupware/folders';
import type { Reader, Transaction } from '@groupware/persistence';
import type { Appointment } from '../domain/appointment';
import { APPOINTMENT, AppointmentRepository, USERS } from './appointment.repository';
import { isOpen } from './view-sources';

/** Private appointments of others are hidden; see the views. The folder is looked up for these alone. */
const UNHIDDEN = `(a.classification < 2 or ${isOpen(
  'exists (select from folder o where o.context_id = $1 and o.id = x.id and o.type = 1 and o.created_by = $2)',
)})`;

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

  /** Ids of folders that the user may not delete with the rank given: they hold appointments of others, or birthdays. */
  listUndeletable(db: Reader, folders: readonly RankedFolder[], userId: number): Promise<ReadonlySet<number>> {
    return listUndeletableFolders(
      db,
      folders,
      userId,
      `exists (select from appointment a
           where a.context_id = $1 and a.folder_id = x.id and (x.rank = 0 or a.created_by <> $2))
         or exists (select from attendee t join appointment a on a.context_id = $1 and a.id = t.appointment_id
           where t.context_id = $1 and t.folder_id = x.id and not t.hidden and (x.rank = 0 or a.created_by <> $2))
         or exists (select from feed f where f.context_id = $1 and f.folder_id = x.id and f.provider = 'birthdays')`,
    );
  }

  /**
   * Some appointments that are seen in folders, masters and exceptions included, in the order of their ids; locked. Those of a
   * creator, or of all.
   */
  listByFolders(
    tx: Transaction,
    folders: readonly number[],
    creator: number | undefined,
    limit: number,
  ): Promise<Appointment[]> {
    return tx.objects<Appointment>(
      `select ${APPOINTMENT} from appointment a where a.context_id = $1 and a.id in (
         select id from appointment where context_id = $1 and folder_id = any($2::int[])
         union
         select appointment_id from attendee where context_id = $1 and folder_id = any($2::int[]) and not hidden)
         and ($3::int is null or a.created_by = $3)
       order by a.id limit $4 for update of a`,
      folders,
      creator ?? null,
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
    appointments: readonly Appointment[],
    folders: readonly number[],
    stamp: number,
  ): Promise<void> {
    this.appointments.insertTombstones(
      tx,
      appointments.flatMap((appointment) =>
        appointment.attendees
          .filter(({ folderId, hidden }) => folderId !== null && !hidden && folders.includes(folderId))
          .map(({ folderId }) => ({ folderId: folderId!, appointment })),
      ),
      stamp,
    );
    const ids = appointments.map(({ id }) => id);
    await tx.run(
      `update attendee set hidden = true, confirm = 2, folder_id = null
       where context_id = $1 and appointment_id = any($2::int[]) and folder_id = any($3::int[])`,
      ids,
      folders,
    );
    await tx.run(
      `update appointment a set last_modified = $3, users = ${USERS} where a.context_id = $1 and a.id = any($2::int[])`,
      ids,
      stamp,
    );
  }
}
