import type { UserPrincipal } from '@groupware/contracts';
import { fakeDirectory, person as anybody, runTestServices, type TestServices } from '@groupware/test-kit';
import { service } from '../index';

export { codeOf, entity, passOver, propertyValues, removeEntity, type TestCall } from '@groupware/test-kit';

/** The calendar service over the bus, with a fake directory and a database of its own. */
export type RunningCalendar = TestServices;

/** A user of the fake directory who may use calendars, as principal. */
export const person = (id: number, options: Partial<UserPrincipal> = {}): UserPrincipal =>
  anybody(id, { capabilities: ['calendar', 'edit_public_folders', 'read_create_shared_folders'], ...options });

/** Ids of appointments whose `participants`, `users` or `confirmations` differ from their attendees. */
async function lyingCopies(sql: TestServices['sql']): Promise<number[]> {
  // A database this young has no statistics; plans for empty tables are slow with thousands of rows.
  await sql('analyze appointment, attendee');
  const list = (entry: string, condition: string) => `coalesce((
    select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(${entry})) order by t.position)
    from attendee t where t.context_id = a.context_id and t.appointment_id = a.id and ${condition}), '[]')`;
  const person = `case when t.type = 5 then t.mail end, 'display_name', case when t.type = 5 then t.display_name end,
    'confirm', case when t.type = 3 and t.confirm <> 1 then t.confirm end`;
  const rows = await sql<{ id: number }>(`select a.id from appointment a where
    a.participants::jsonb <> ${list(`'id', t.entity, 'type', t.type, 'mail', ${person}`, 't.listed')}
    or a.users::jsonb <> ${list(
      `'id', t.entity, 'display_name', t.display_name, 'confirm', t.confirm, 'confirmmessage', t.message`,
      't.type = 1 and not t.hidden',
    )}
    or a.confirmations::jsonb <> ${list(
      `'type', t.type, 'mail', t.mail, 'display_name', t.display_name, 'status', t.confirm, 'message', t.message`,
      't.type = 5',
    )}`);
  return rows.map(({ id }) => id);
}

/** Starts the service. Closing it checks that what appointments tell about their attendees is true. */
export async function runCalendar(environment: Record<string, string> = {}): Promise<RunningCalendar> {
  const running = await runTestServices({ services: [service, fakeDirectory], environment });
  return {
    ...running,
    close: () =>
      running.close(async () => {
        const lies = await lyingCopies(running.sql);
        if (lies.length > 0)
          throw new Error(`appointments that tell something else than their attendees: ${lies.join(', ')}`);
      }),
  };
}
