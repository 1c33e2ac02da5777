import { Injectable } from '@nestjs/common';
import { AppointmentErrors } from '@groupware/contracts';
import { ObjectRepository, toStorableJson } from '@groupware/folders';
import { constraintOf, type Reader, pipeline, type Transaction } from '@groupware/persistence';
import { type Appointment, type Attendee, isSeries } from '../domain/appointment';
import { toAttendeeData } from '../domain/appointment-wire';

/** Table columns by property of {@link Appointment}, with their types. */
const FIELDS: readonly (readonly [property: keyof Appointment, column: string, type: string])[] = [
  ['id', 'id', 'int'],
  ['seriesId', 'series_id', 'int'],
  ['folderId', 'folder_id', 'int'],
  ['isPublic', 'is_public', 'boolean'],
  ['owner', 'owner', 'int'],
  ['uid', 'uid', 'text'],
  ['recurrenceLocalMs', 'recurrence_local', 'bigint'],
  ['position', 'position', 'int'],
  ['startMs', 'start_ms', 'bigint'],
  ['endMs', 'end_ms', 'bigint'],
  ['rangeEndMs', 'range_end_ms', 'bigint'],
  ['timeZone', 'time_zone', 'text'],
  ['fullTime', 'full_time', 'boolean'],
  ['floating', 'floating', 'boolean'],
  ['title', 'title', 'text'],
  ['location', 'location', 'text'],
  ['note', 'note', 'text'],
  ['shownAs', 'shown_as', 'smallint'],
  ['classification', 'classification', 'smallint'],
  ['color', 'color', 'smallint'],
  ['categories', 'categories', 'text'],
  ['organizer', 'organizer', 'text'],
  ['organizerId', 'organizer_id', 'int'],
  ['principal', 'principal', 'text'],
  ['principalId', 'principal_id', 'int'],
  ['sequence', 'sequence', 'int'],
  ['rule', 'rule', 'text'],
  ['rdates', 'rdates', 'bigint[]'],
  ['exdates', 'exdates', 'bigint[]'],
  ['changes', 'changes', 'bigint[]'],
  ['createdBy', 'created_by', 'int'],
  ['modifiedBy', 'modified_by', 'int'],
  ['created', 'created', 'bigint'],
  ['lastModified', 'last_modified', 'bigint'],
  ['attachments', 'attachments', 'int'],
  ['newestAttachment', 'newest_attachment', 'bigint'],
  ['extra', 'extra', 'jsonb'],
];

const ATTENDEE_FIELDS: readonly (readonly [property: keyof Attendee, column: string])[] = [
  ['type', 'type'],
  ['entity', 'entity'],
  ['mail', 'mail'],
  ['displayName', 'display_name'],
  ['folderId', 'folder_id'],
  ['direct', 'direct'],
  ['listed', 'listed'],
  ['hidden', 'hidden'],
  ['confirm', 'confirm'],
  ['message', 'message'],
  ['alarm', 'alarm'],
  ['extra', 'extra'],
];

const selectFields = (fields: typeof FIELDS): string =>
  fields.map(([property, column]) => `a.${column} as "${property}"`).join(', ');

/** Select list of a whole appointment from `appointment a`, attendees included. */
export const APPOINTMENT = `${selectFields(FIELDS)},
  (select coalesce(json_agg(json_build_object(
    ${ATTENDEE_FIELDS.map(([property, column]) => `'${property}', t.${column}`).join(', ')}) order by t.position), '[]'::json)
  from attendee t where t.context_id = a.context_id and t.appointment_id = a.id) as attendees`;
/** Properties that lists of events seldom ask for. */
const DETAILS: ReadonlySet<keyof Appointment> = new Set<keyof Appointment>([
  ...(['uid', 'note', 'categories', 'sequence', 'modifiedBy', 'newestAttachment', 'position'] as const),
]);
/** An appointment without these, and without attendees. */
export const BRIEF_APPOINTMENT = selectFields(FIELDS.filter(([property]) => !DETAILS.has(property)));

/** Everything that is written: the fields, and what views answer about the attendees. */
const WRITTEN: readonly (readonly [property: string, column: string, type: string])[] = [
  ...FIELDS,
  ['participants', 'participants', 'json'],
  ['users', 'users', 'json'],
  ['confirmations', 'confirmations', 'json'],
];
const COLUMNS = WRITTEN.map(([, column]) => column);
const RECORD = WRITTEN.map(([property, , type]) => `"${property}" ${type}`).join(', ');
const INSERT = `insert into appointment (context_id, ${COLUMNS.join(', ')})
  select $1, ${WRITTEN.map(([property]) => `x."${property}"`).join(', ')} from json_to_recordset($2) as x (${RECORD})`;
const UPDATE = `update appointment a set ${WRITTEN.slice(1)
  .map(([property, column]) => `${column} = x."${property}"`)
  .join(', ')}
  from json_to_recordset($2) as x (${RECORD}) where a.context_id = $1 and a.id = x.id`;
const INSERT_ATTENDEES = `insert into attendee (context_id, appointment_id, position, type, entity, mail, display_name,
    folder_id, direct, listed, hidden, confirm, message, alarm, extra, is_series, start_ms, range_end_ms)
  select $1, x.* from json_to_recordset($2) as x ("appointmentId" int, position int, type smallint, entity int, mail text,
    "displayName" text, "folderId" int, direct boolean, listed boolean, hidden boolean, confirm smallint, message text,
    alarm int, extra jsonb, "isSeries" boolean, "startMs" bigint, "rangeEndMs" bigint)`;

/** The `users` of an appointment, for a statement that changes attendees on its own; equals `toAttendeeData`. */
export const USERS = `(select coalesce(json_agg(json_strip_nulls(json_build_object('id', p.entity,
    'display_name', p.display_name, 'confirm', p.confirm, 'confirmmessage', p.message)) order by p.position), '[]'::json)
  from attendee p where p.context_id = a.context_id and p.appointment_id = a.id and p.type = 1 and not p.hidden)`;

/** Wall-clock times of a series from one to another, local ms; both belong to it. */
export interface LocalSpan {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** More ms than there are between any two original starts. */
const BEYOND_ALL_TIME = 1_000_000_000_000_000;

/** The span of all original starts. */
export const ANY_LOCAL: LocalSpan = { firstMs: Number.MIN_SAFE_INTEGER, lastMs: Number.MAX_SAFE_INTEGER };

/** Rows of appointments and their attendees. */
@Injectable()
export class AppointmentRepository extends ObjectRepository {
  constructor() {
    super('appointment_counter', 'appointment');
  }

  /** Appointments by id in no particular order; unknown ones are left out. */
  listByIds(db: Reader, ids: readonly number[]): Promise<Appointment[]> {
    return db.objects<Appointment>(
      `select ${APPOINTMENT} from appointment a where a.context_id = $1 and a.id = any($2::int[])`,
      ids,
    );
  }

  /** One appointment. */
  async findById(db: Reader, id: number): Promise<Appointment | undefined> {
    return (await this.listByIds(db, [id]))[0];
  }

  /**
   * One appointment, locked until the end of the transaction. The master of a series is always locked before its
   * exceptions, so that two writers of one series wait for each other instead of meeting in a deadlock.
   */
  async lockById(tx: Transaction, id: number): Promise<Appointment | undefined> {
    return (await this.lockByIds(tx, [id]))[0];
  }

  /** The same for many appointments and the series they belong to, in an order in which all writers lock. */
  async lockByIds(tx: Transaction, ids: readonly number[]): Promise<Appointment[]> {
    const [, appointments] = await pipeline(this.lockWithSeries(tx, ids), this.listByIds(tx, ids));
    return appointments;
  }

  /** The same; returns the series they belong to and all exceptions of those as well, in the order of original starts. */
  async lockWithExceptions(tx: Transaction, ids: readonly number[]): Promise<Appointment[]> {
    const [, family] = await pipeline(
      this.lockWithSeries(tx, ids),
      tx.objects<Appointment>(
        `select ${APPOINTMENT} from appointment a where a.context_id = $1 and (a.id = any($2::int[]) or a.series_id in (
           select s.series_id from appointment s where s.context_id = $1 and s.id = any($2::int[]) and s.series_id is not null))
         order by a.recurrence_local nulls first, a.id`,
        ids,
      ),
    );
    return family;
  }

  private async lockWithSeries(tx: Transaction, ids: readonly number[]): Promise<void> {
    await tx.rows(
      `select id from appointment where context_id = $1 and id in (
         select unnest($2::int[])
         union select series_id from appointment where context_id = $1 and id = any($2::int[]) and series_id is not null)
       order by coalesce(series_id, id), (series_id = id) desc nulls last, id for update`,
      ids,
    );
  }

  /**
   * The exceptions of a series in the order of their original start. The holder of the lock of the series holds theirs:
   * all writers lock the series first.
   */
  async listExceptions(db: Reader, seriesId: number): Promise<Appointment[]> {
    return db.objects<Appointment>(
      `select ${APPOINTMENT} from appointment a
       where a.context_id = $1 and a.series_id = $2 and a.id <> $2 order by a.recurrence_local`,
      seriesId,
    );
  }

  /** Exceptions of several series in the order of their original start. */
  listExceptionsOfMany(db: Reader, seriesIds: readonly number[]): Promise<Appointment[]> {
    return db.objects<Appointment>(
      `select ${APPOINTMENT} from appointment a
       where a.context_id = $1 and a.series_id = any($2::int[]) and a.id <> a.series_id
       order by a.series_id, a.recurrence_local`,
      seriesIds,
    );
  }

  /** Appointments of a folder with these uids, series with their exceptions: all, or those of a span of original starts. */
  listByUids(db: Reader, folderId: number, uids: ReadonlyMap<string, LocalSpan>): Promise<Appointment[]> {
    const spans = [...uids.values()];
    return db.objects<Appointment>(
      `select ${APPOINTMENT} from appointment a
       join unnest($3::text[], $4::bigint[], $5::bigint[]) as u (uid, first, last) on a.uid = u.uid
       where a.context_id = $1 and a.folder_id = $2 and md5(a.uid) in (select md5(k.uid) from unnest($3::text[]) as k (uid))
         and (a.recurrence_local is null or a.recurrence_local between u.first and u.last)
       order by a.id for update of a`,
      folderId,
      [...uids.keys()],
      spans.map(({ firstMs }) => firstMs),
      spans.map(({ lastMs }) => lastMs),
    );
  }

  /** Those of these uids that the calendar user of a folder has elsewhere: in another calendar of his own, or as attendee. */
  async listUidsElsewhere(
    db: Reader,
    { id, calendarUser }: { readonly id: number; readonly calendarUser: number },
    uids: readonly string[],
  ): Promise<Set<string>> {
    const rows = await db.objects<{ uid: string }>(
      `select distinct a.uid from appointment a
       where a.context_id = $1 and md5(a.uid) in (select md5(u.uid) from unnest($4::text[]) as u (uid))
         and a.uid = any($4::text[]) and a.folder_id <> $2
         and (a.folder_id in (select f.id from folder f where f.context_id = $1 and f.created_by = $3 and f.type = 1)
           or exists (select from attendee t where t.context_id = $1 and t.appointment_id = a.id
             and t.type = 1 and t.entity = $3 and not t.hidden))`,
      id,
      calendarUser,
      uids,
    );
    return new Set(rows.map(({ uid }) => uid));
  }

  /** Ids of the resources that appointments of a folder with these uids book. */
  async listResourcesByUids(db: Reader, folderId: number, uids: readonly string[]): Promise<number[]> {
    const rows = await db.objects<{ entity: number }>(
      `select distinct t.entity from appointment a
       join attendee t on t.context_id = $1 and t.appointment_id = a.id and t.type = 3
       where a.context_id = $1 and a.folder_id = $2 and md5(a.uid) in (select md5(u.uid) from unnest($3::text[]) as u (uid))
         and a.uid = any($3::text[])`,
      folderId,
      uids,
    );
    return rows.map(({ entity }) => entity);
  }

  /** Ids of the resources that an appointment books; those of its exceptions as well. */
  async listResources(db: Reader, id: number): Promise<number[]> {
    const rows = await db.objects<{ entity: number }>(
      `select distinct t.entity from attendee t where t.context_id = $1 and t.type = 3 and t.appointment_id in (
         select $2::int union all select a.id from appointment a where a.context_id = $1 and a.series_id = $2)`,
      id,
    );
    return rows.map(({ entity }) => entity);
  }

  /** The id of an appointment with this uid in one of the calendars of a user, or in a folder. */
  async findIdByUid(db: Reader, uid: string, owner: number, folderId: number): Promise<number | undefined> {
    const row = await db.first<{ id: number }>(
      `select id from appointment where context_id = $1 and md5(uid) = md5($2) and uid = $2
         and recurrence_local is null
         and (folder_id = $4 or folder_id in (select id from folder where context_id = $1 and created_by = $3 and type = 1))
       limit 1`,
      uid,
      owner,
      folderId,
    );
    return row?.id;
  }

  /**
   * Makes creations with a uid that a client chose wait for each other in their context from the next statement until the end of
   * the transaction. The look for a taken uid that follows sees what the other one stored: no index could refuse the second, as
   * exceptions have the uid of their series, and invited users copies of one event.
   */
  lockUid(tx: Transaction, uid: string): void {
    tx.enqueue(`select pg_advisory_xact_lock(hashtextextended('uid ' || $1::int || ' ' || $2::text, 0))`, uid);
  }

  /** The id of an event with this uid that a user of the context organizes. */
  async findIdByUidInContext(db: Reader, uid: string): Promise<number | undefined> {
    const row = await db.first<{ id: number }>(
      `select id from appointment where context_id = $1 and md5(uid) = md5($2) and uid = $2
         and recurrence_local is null and organizer_id is not null limit 1`,
      uid,
    );
    return row?.id;
  }

  /** Stores new appointments with the next statement; a uid that the folder has already makes that fail with APP-0100. */
  insert(tx: Transaction, appointments: readonly Appointment[]): void {
    tx.enqueue({ sql: INSERT, explain: explainTakenUid(appointments) }, toStorableJson(appointments.map(toRow)));
    tx.enqueue(INSERT_ATTENDEES, toStorableJson(appointments.flatMap(toAttendeeRows)));
  }

  /**
   * Lets exceptions leave their places in their series with the next statement: a uid has one exception in each place, also while
   * one takes that of another.
   */
  vacatePlaces(tx: Transaction, ids: readonly number[]): void {
    tx.enqueue(
      `update appointment set recurrence_local = recurrence_local - ${BEYOND_ALL_TIME}
       where context_id = $1 and id = any($2::int[])`,
      ids,
    );
  }

  /**
   * Replaces stored appointments and their attendees with the next statement; a uid that another folder has already makes a move
   * there fail with APP-0100.
   */
  update(tx: Transaction, appointments: readonly Appointment[]): void {
    tx.enqueue({ sql: UPDATE, explain: explainTakenUid(appointments) }, toStorableJson(appointments.map(toRow)));
    tx.enqueue(
      'delete from attendee where context_id = $1 and appointment_id = any($2::int[])',
      appointments.map(({ id }) => id),
    );
    tx.enqueue(INSERT_ATTENDEES, toStorableJson(appointments.flatMap(toAttendeeRows)));
  }

  /** Gives appointments a stamp, and a user who changed them, if any, with the next statement. */
  touch(tx: Transaction, ids: readonly number[], stamp: number, userId: number | undefined): void {
    tx.enqueue(
      `update appointment set last_modified = $3, modified_by = coalesce($4::int, modified_by)
       where context_id = $1 and id = any($2::int[])`,
      ids,
      stamp,
      userId ?? null,
    );
  }

  /** Deletes appointments with the next statement and leaves tombstones in every folder in which they were seen. */
  remove(tx: Transaction, appointments: readonly Appointment[], stamp: number): void {
    this.insertTombstones(
      tx,
      appointments.flatMap((appointment) => listFolders(appointment).map((folderId) => ({ folderId, appointment }))),
      stamp,
    );
    tx.enqueue(
      'delete from appointment where context_id = $1 and id = any($2::int[])',
      appointments.map(({ id }) => id),
    );
  }

  /** Leaves tombstones in folders in which appointments are no longer seen. */
  insertTombstones(
    tx: Transaction,
    gone: readonly { folderId: number; appointment: Appointment }[],
    stamp: number,
  ): void {
    if (gone.length === 0) return;
    tx.enqueue(
      `insert into tombstone (context_id, folder_id, id, series_id, recurrence_local, position, last_modified)
       select $1, x.folder, x.id, x.series, x.local, x.position, $3
       from json_to_recordset($2) as x (folder int, id int, series int, local bigint, position int)
       on conflict (context_id, folder_id, id) do update set last_modified = excluded.last_modified`,
      toStorableJson(
        gone.map(({ folderId, appointment }) => ({
          folder: folderId,
          id: appointment.id,
          series: appointment.seriesId,
          local: appointment.recurrenceLocalMs,
          position: appointment.position,
        })),
      ),
      stamp,
    );
  }

  /** Appointments of a folder, masters and exceptions included, after an id and in the order of ids. */
  listByFolder(db: Reader, folderId: number, afterId: number, limit: number): Promise<Appointment[]> {
    return db.objects<Appointment>(
      `select ${APPOINTMENT} from appointment a
       where a.context_id = $1 and a.id > $3 and (a.folder_id = $2 or exists (
         select from attendee t where t.context_id = $1 and t.appointment_id = a.id and t.folder_id = $2 and not t.hidden))
       order by a.id limit $4`,
      folderId,
      afterId,
      limit,
    );
  }

  /** Removes everything of the context; attendees and reminders go with their appointments. */
  async removeContext(tx: Transaction): Promise<void> {
    for (const table of [
      'appointment',
      'appointment_counter',
      'tombstone',
      'cancellation',
      'group_change',
      'scheduling_stamp',
      'available_time',
    ])
      await tx.run(`delete from ${table} where context_id = $1`);
  }
}

/** Every folder in which an appointment is seen. */
export function listFolders(appointment: Pick<Appointment, 'folderId' | 'attendees'>): number[] {
  const personal = appointment.attendees.filter(({ folderId, hidden }) => folderId !== null && !hidden);
  return [...new Set([appointment.folderId, ...personal.map(({ folderId }) => folderId!)])];
}

/** Tells a uid that the folder has already as APP-0100. */
const explainTakenUid =
  (appointments: readonly Appointment[]) =>
  (error: unknown): unknown =>
    constraintOf(error) === 'appointment_uid'
      ? AppointmentErrors.uidTaken(appointments[0]?.uid).with({ cause: error })
      : error;

const toRow = ({ attendees, ...fields }: Appointment): object => ({ ...fields, ...toAttendeeData(attendees) });

const toAttendeeRows = (appointment: Appointment): object[] =>
  appointment.attendees.map((attendee: Attendee, position) => ({
    appointmentId: appointment.id,
    position,
    type: attendee.type,
    entity: attendee.entity,
    mail: attendee.mail,
    displayName: attendee.displayName,
    folderId: attendee.folderId,
    direct: attendee.direct,
    listed: attendee.listed,
    hidden: attendee.hidden,
    confirm: attendee.confirm,
    message: attendee.message,
    alarm: attendee.alarm,
    extra: attendee.extra,
    isSeries: isSeries(appointment),
    startMs: appointment.startMs,
    rangeEndMs: appointment.rangeEndMs,
  }));
