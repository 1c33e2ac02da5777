import { Injectable } from '@nestjs/common';
import type { Reader } from '@groupware/persistence';

/** Appointments by their unique ids. */
@Injectable()
export class UidRepository {
  /**
   * The appointment with a unique id in the calendars of a user or among what he takes part in: the series rather than
   * one of its exceptions, his own rather than another user's.
   */
  async findId(db: Reader, userId: number, uid: string): Promise<number | undefined> {
    const row = await db.first<{ id: number }>(
      `select a.id from appointment a
       left join folder f on f.context_id = $1 and f.id = a.folder_id and f.created_by = $2 and f.type = 1
       where a.context_id = $1 and md5(a.uid) = md5($3::text) and a.uid = $3
         and (f.id is not null or exists (select from attendee t where t.context_id = $1 and t.appointment_id = a.id
           and t.type = 1 and t.entity = $2 and not t.hidden))
       order by a.recurrence_local is not null, f.id is null, a.id limit 1`,
      userId,
      // Postgres takes no NUL, and no stored id has one.
      uid.replaceAll('\u0000', '\ufffd'),
    );
    return row?.id;
  }
}
