import { Injectable } from '@nestjs/common';
import type { Reader } from '@groupware/persistence';

/** External people with whom a user has to do. */
@Injectable()
export class KnownContactRepository {
  /** True when a contact with this lower-case address takes part in, or organizes, an appointment of the user. */
  async isKnown(db: Reader, userId: number, address: string): Promise<boolean> {
    const [row] = await db.rows(
      `select exists (
         select from attendee t join attendee u on u.context_id = $1 and u.appointment_id = t.appointment_id
         where t.context_id = $1 and t.type = 5 and lower(t.mail) = $3 and u.type = 1 and u.entity = $2 and not u.hidden
       ) or exists (
         select from appointment a join attendee u on u.context_id = $1 and u.appointment_id = a.id
         where a.context_id = $1 and a.organizer_id is null and lower(a.organizer) = $3
           and u.type = 1 and u.entity = $2 and not u.hidden)`,
      userId,
      address,
    );
    return row![0] as boolean;
  }
}
