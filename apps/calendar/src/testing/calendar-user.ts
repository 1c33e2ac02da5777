import { calendar, calendarFolders, fieldsOf, type Operation, type UserPrincipal } from '@groupware/contracts';
import { person, type RunningCalendar } from './running-calendar';

/** A timestamp no change is newer than. */
export const FUTURE = 9_000_000_000_000;
/** 1990 to 2050. */
export const ALL_TIME = { start: 631_152_000_000, end: 2_524_608_000_000 };
/** 4 May 2020, 09:00 to 10:00 UTC. */
export const MORNING = { start_date: 1_588_582_800_000, end_date: 1_588_586_400_000 };

let next = 50_000;

/** A user with an empty default calendar, as a client that speaks UTC unless told otherwise. */
export class CalendarUser {
  private constructor(
    private readonly running: RunningCalendar,
    readonly principal: UserPrincipal,
    readonly folder: string,
  ) {}

  static async enter(running: RunningCalendar, options: Partial<UserPrincipal> = {}): Promise<CalendarUser> {
    const principal = person((next += 1), options);
    const [folders] = await running.call(calendarFolders.visible, {
      query: { parts: [{}] },
      principal: { kind: 'internal', service: 'folders', contextId: principal.contextId, user: principal },
    });
    return new CalendarUser(running, principal, String(folders.find((folder: any) => folder.isDefault).id));
  }

  get id(): number {
    return this.principal.userId;
  }

  /** The whole answer of an operation. */
  ask(operation: Operation, query: object = {}, body?: unknown) {
    const takesZone = operation.query && fieldsOf(operation.query).some(({ property }) => property === 'timezone');
    const zone = takesZone ? { timezone: 'UTC' } : {};
    return this.running.request(operation, { principal: this.principal, query: { ...zone, ...query }, body });
  }

  /** The data of an operation. */
  async call<T = any>(operation: Operation, query: object = {}, body?: unknown): Promise<T> {
    return (await this.ask(operation, query, body)).json;
  }

  /** Creates an appointment on the morning of 4 May 2020 unless told otherwise; conflicts are ignored. */
  async create(body: object = {}, query: object = {}): Promise<string> {
    const content = { title: 'T', folder_id: this.folder, ignore_conflicts: true, ...MORNING, ...body };
    const { id } = await this.call(calendar.new, query, content);
    if (!id) throw new Error('not created');
    return id;
  }

  update(id: string, body: object, query: object = {}) {
    return this.ask(
      calendar.update,
      { id, folder: this.folder, timestamp: FUTURE, ...query },
      { ignore_conflicts: true, ...body },
    );
  }

  remove(...references: object[]) {
    return this.ask(
      calendar.delete,
      { timestamp: FUTURE },
      references.map((reference) => ({ folder: this.folder, ...reference })),
    );
  }

  read(id: string, query: object = {}): Promise<any> {
    return this.call(calendar.get, { id, folder: this.folder, ...query });
  }

  all(columns: string, query: object = {}): Promise<unknown[][]> {
    return this.call(calendar.all, { ...ALL_TIME, columns: columns.split(','), folder: this.folder, ...query });
  }

  /** A participant of type user. */
  get participant(): { type: 1; id: number } {
    return { type: 1, id: this.id };
  }

  /** Makes a calendar folder with permissions for others: user id and bits. */
  async share(...others: [CalendarUser, number][]): Promise<string> {
    const query = { title: `F${(next += 1)}`, parent: 1, permissions: this.permissions(others) };
    return String((await this.running.call(calendarFolders.create, { principal: this.inside, query })).id);
  }

  /** Replaces the permissions of a folder. */
  async grant(folder: string, ...others: [CalendarUser, number][]): Promise<void> {
    const query = { id: Number(folder), permissions: this.permissions(others) };
    await this.running.call(calendarFolders.update, { principal: this.inside, query });
  }

  private permissions(others: readonly [CalendarUser, number][]): object[] {
    return [
      { entity: this.id, group: false, bits: 403_710_016 },
      ...others.map(([user, bits]) => ({ entity: user.id, group: false, bits })),
    ];
  }

  get inside() {
    const { contextId } = this.principal;
    return { kind: 'internal', service: 'folders', contextId, user: this.principal } as const;
  }
}
