import { Injectable } from '@nestjs/common';
import type { AdministrationTransaction } from '@groupware/persistence';

/** Tombstones of deleted contacts. */
@Injectable()
export class TombstoneRepository {
  /**
   * Deletes tombstones of all contexts with a stamp before a time, at most so many, and notes per context up to which
   * stamp deletions are no longer known. Counters are locked first, in order, as writers lock them.
   * @returns how many are gone
   */
  async deleteBefore(db: AdministrationTransaction, beforeMs: number, limit: number): Promise<number> {
    await db.rows(
      `select c.context_id from contact_counter c
       where c.context_id in (select t.context_id from contact_tombstone t where t.last_modified < $1)
       order by c.context_id for update`,
      beforeMs,
    );
    const [row] = await db.rows(
      `with gone as (
         delete from contact_tombstone where ctid = any(array(
           select t.ctid from contact_tombstone t join contact_counter c using (context_id)
           where t.last_modified < $1 order by t.last_modified limit $2))
         returning context_id, last_modified),
       noted as (
         update contact_counter c set forgotten = greatest(c.forgotten, g.newest)
         from (select context_id, max(last_modified) as newest from gone group by context_id) g
         where c.context_id = g.context_id)
       select count(*)::int from gone`,
      beforeMs,
      limit,
    );
    return row![0] as number;
  }
}
