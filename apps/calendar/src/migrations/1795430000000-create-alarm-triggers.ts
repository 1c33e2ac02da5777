import type { Migration, MigrationRunner } from '@groupware/persistence';

/**
 * Next times of the alarms that appointments do not know: one row of each alarm of a user. Its id is unique among reminders,
 * too: clients know both as reminders. Alarms that there are already are due from now on; the first look finds when.
 */
export class CreateAlarmTriggers1795430000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table alarm_trigger (
        context_id int not null,
        target_id int not null,
        user_id int not null,
        alarm_id int not null,
        id bigint not null default nextval('reminder_id_seq'),
        floating boolean not null,
        since_ms bigint not null,
        notified_ms bigint,
        due_ms bigint,
        constraint alarm_trigger_key primary key (context_id, target_id, user_id, alarm_id),
        constraint alarm_trigger_target foreign key (context_id, target_id)
          references appointment (context_id, id) on delete cascade
      );
      create unique index alarm_trigger_id on alarm_trigger (context_id, id);
      create index alarm_trigger_due on alarm_trigger (due_ms) where due_ms is not null;
      create index alarm_trigger_of_user on alarm_trigger (context_id, user_id) where due_ms is not null;
      insert into alarm_trigger (context_id, target_id, user_id, alarm_id, floating, since_ms, due_ms)
      select a.context_id, a.id, t.entity, (stored.alarm ->> 'id')::int, a.floating, now.ms, now.ms
      from attendee t
      join appointment a on a.context_id = t.context_id and a.id = t.appointment_id
      cross join lateral (select (extract(epoch from now()) * 1000)::bigint as ms) now
      cross join lateral jsonb_array_elements(t.extra -> 'event' -> 'alarms') as stored (alarm)
      where t.type = 1 and t.entity is not null and t.extra -> 'event' -> 'alarms' is not null
        and a.range_end_ms >= now.ms and stored.alarm ->> 'action' in ('DISPLAY', 'AUDIO', 'EMAIL')
        and not (t.alarm is not null and coalesce(stored.alarm #>> '{relatedTo,relType}' = 'SNOOZE' and stored.alarm
          #>> '{relatedTo,value}' = coalesce(t.extra #>> '{event,alarm,uid}', a.id || '-alarm'), false))
      on conflict do nothing;
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table alarm_trigger');
  }
}
