import {
  calendarAnswers,
  CalendarErrors,
  calendarImport,
  CatalogueError,
  isCatalogueError,
  chronos,
  contactImport,
  ConversionErrors,
  RequestErrors,
  taskImport,
  type ConvertedObject,
  type ImportedItem,
  type UploadedFile,
  type UserPrincipal,
} from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { readCalendar, type CalendarEvent } from '@groupware/icalendar';
import { Caller } from '@groupware/messaging';
import { resolveTimeZone } from '@groupware/recurrence';
import { pauseAfterTurn } from '@groupware/service-kit';
import { readCards, readContact } from '@groupware/vcard';
import { Inject, Injectable } from '@nestjs/common';
import { requireArgument } from '../domain/conversion-arguments';
import { toContactObject } from '../domain/contact-object';
import { toEventObject } from '../domain/event-object';
import { findOccurrences, toEventInZone } from '../domain/event-occurrence';

/** Most objects that are told at once. */
const MAX_OBJECTS = 1_000;
/** Most events that are looked for among those of the user. */
const MAX_SEARCHED = 100;
const POSITION = 'com.example.calendar.recurrencePosition';
/** Changes of others are no conflict: what is answered was stored right before. */
const ANY_TIMESTAMP = 8_640_000_000_000_000;
const EVENTS = /^BEGIN:VEVENT\s*$/im;
const TASKS = /^BEGIN:VTODO\s*$/im;
type Arguments = ReadonlyMap<string, string>;

/** Objects that were stored, and warnings about others. */
export interface StoredObjects {
  readonly objects: readonly ConvertedObject[];
  readonly warnings: readonly CatalogueError[];
}

/** Stores or shows what parts of mails hold. The modules of the objects check the rights of the user. */
@Injectable()
export class DataHandlers {
  constructor(
    private readonly caller: Caller,
    @Inject(FILES) private readonly store: FileStore,
  ) {}

  /**
   * Stores events and tasks in the folders that arguments name.
   * @throws CNV-0001, CNV-0002, CNV-0005, CNV-0006, SVL-0016, and what imports throw
   */
  async storeCalendar(user: UserPrincipal, bytes: Buffer, args: Arguments): Promise<StoredObjects> {
    const text = bytes.toString();
    const [hasEvents, hasTasks] = [EVENTS.test(text), TASKS.test(text)];
    if (!hasEvents && !hasTasks) throw ConversionErrors.noMatch('com.example.ical');
    const status = parseStatus(args.get('calendar.confirmstatus'));
    const occurrence = parsePosition(args.get('calendar.recurrencePosition'));
    const calendar = args.get('calendar.folder');
    const tasks = args.get('task.folder');
    // Without one of the folders, objects of its kind stay in the mail.
    if (!(hasEvents && calendar) && !(hasTasks && tasks))
      requireArgument(args, hasEvents ? 'calendar.folder' : 'task.folder');
    const items: ImportedItem[] = [];
    if (hasEvents && calendar) {
      requireModule(user, 'calendar');
      const events = await this.importBytes(user, bytes, (files) =>
        this.caller.call(calendarImport.ICAL, { principal: user, query: { folder: calendar }, files }),
      );
      items.push(...(hasTasks ? events.filter(isNoOtherKind) : events));
      if (status !== undefined)
        for (const { id, folder_id: folder } of events)
          if (id !== undefined && folder !== undefined)
            await this.caller.call(calendarAnswers.confirm, {
              principal: user,
              query: { id, folder, timestamp: ANY_TIMESTAMP, ...(occurrence === undefined ? {} : { occurrence }) },
              body: { confirmation: status, confirmmessage: args.get('calendar.confirmmessage') ?? '' },
            });
    }
    if (hasTasks && tasks) {
      requireModule(user, 'tasks');
      const found = await this.importBytes(user, bytes, (files) =>
        this.caller.call(taskImport.ICALTasks, { principal: user, query: { folder: tasks }, files }),
      );
      items.push(...(hasEvents ? found.filter(isNoOtherKind) : found));
    }
    return toStored(items);
  }

  /** Stores contacts. @throws CNV-0001, CNV-0005, CNV-0006, SVL-0016, and what imports throw */
  async storeContacts(user: UserPrincipal, bytes: Buffer, args: Arguments): Promise<StoredObjects> {
    const folder = requireArgument(args, 'contact.folder');
    requireModule(user, 'contacts');
    return toStored(
      await this.importBytes(user, bytes, (files) =>
        this.caller.call(contactImport.VCARD, { principal: user, query: { folder }, files }),
      ),
    );
  }

  /**
   * The events of a calendar, on the clock of the zone, as the occurrence and with the place of the known event that arguments
   * want; nothing is stored.
   * @throws CNV-0002, CNV-0005 without any
   */
  async listEvents(user: UserPrincipal, bytes: Buffer, args: Arguments): Promise<Record<string, unknown>[]> {
    const found: CalendarEvent[] = [];
    const zone = parseZone(args.get('calendar.timezone'));
    const position = parsePosition(args.get('calendar.recurrencePosition'));
    const defaultTimeZone = resolveTimeZone(user.timeZone) ?? 'UTC';
    for await (const { event } of readCalendar([bytes], {
      defaultTimeZone,
      maxItems: MAX_OBJECTS,
      pause: pauseAfterTurn,
    }))
      if (event) found.push(event);
    if (found.length === 0) throw ConversionErrors.noMatch('com.example.ical.json');
    const shown = position === undefined ? found : findOccurrences(found, position);
    if (!shown) throw ConversionErrors.badArgument(POSITION, 'there is no such occurrence');
    const known = args.get('calendar.searchobject') === 'true' ? await this.findKnown(user, shown) : new Map();
    return shown.map((event) => ({
      ...toEventObject(zone === undefined ? event : toEventInZone(event, zone)),
      ...known.get(event.uid),
    }));
  }

  /** Places of events that the user has, by their unique ids. */
  private async findKnown(
    user: UserPrincipal,
    events: readonly CalendarEvent[],
  ): Promise<ReadonlyMap<string, { readonly id: string; readonly folder: string }>> {
    const known = new Map<string, { readonly id: string; readonly folder: string }>();
    requireModule(user, 'calendar');
    for (const uid of [...new Set(events.map((event) => event.uid))].slice(0, MAX_SEARCHED)) {
      try {
        const { id, folder } = await this.caller.call(chronos.resolve, {
          principal: user,
          query: { uid, fields: ['id', 'folder'] },
        });
        if (id && folder) known.set(uid, { id, folder });
      } catch (error) {
        if (!isCatalogueError(error, CalendarErrors.eventNotFound)) throw error;
      }
    }
    return known;
  }

  /** The contacts of vCards; nothing is stored. @throws CNV-0005 without any */
  async listContacts(bytes: Buffer): Promise<Record<string, unknown>[]> {
    const found: Record<string, unknown>[] = [];
    for await (const { card } of readCards([bytes], { pause: pauseAfterTurn })) {
      if (card) found.push(toContactObject(readContact(card).contact));
      if (found.length === MAX_OBJECTS) break;
    }
    if (found.length === 0) throw ConversionErrors.noMatch('com.example.contact.json');
    return found;
  }

  /** Imports bytes as if they were uploaded. */
  private async importBytes(
    { contextId }: UserPrincipal,
    bytes: Buffer,
    importFiles: (files: readonly UploadedFile[]) => Promise<readonly ImportedItem[]>,
  ): Promise<readonly ImportedItem[]> {
    const stored = await this.store.write(once(bytes), { maxBytes: bytes.length, contextId });
    try {
      return await importFiles([{ field: 'file', name: 'part', contentType: 'application/octet-stream', ...stored }]);
    } finally {
      await this.store.discard(stored.reference).catch(() => undefined);
    }
  }
}

/** An item that was not refused for being of the other kind: that is stored by the other module. */
const isNoOtherKind = ({ id, error }: ImportedItem): boolean => id !== undefined || error === undefined;

function requireModule({ capabilities }: UserPrincipal, module: string): void {
  if (!capabilities.includes(module)) throw RequestErrors.noModulePermission(module);
}

/** @throws CNV-0002 */
function parseStatus(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (!/^[0-3]$/.test(text)) throw ConversionErrors.badArgument('com.example.calendar.confirmstatus', '0 to 3');
  return Number(text);
}

/** @throws CNV-0002 */
function parsePosition(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const position = Number(text);
  if (!Number.isInteger(position) || position < 1 || position > 2 ** 31 - 1)
    throw ConversionErrors.badArgument(POSITION, 'no number from 1');
  return position;
}

/** @throws CNV-0002 */
function parseZone(name: string | undefined): string | undefined {
  if (name === undefined || name === '') return undefined;
  const zone = resolveTimeZone(name);
  if (zone === undefined) throw ConversionErrors.badArgument('com.example.calendar.timezone', 'no time zone');
  return zone;
}

/** @throws CNV-0006 when nothing was stored */
function toStored(items: readonly ImportedItem[]): StoredObjects {
  const objects = items.flatMap(({ id, folder_id }) =>
    id === undefined || folder_id === undefined ? [] : [{ folder_id, id }],
  );
  const warnings = items.flatMap(({ id, code, error }) =>
    id === undefined && error !== undefined ? [ConversionErrors.notStored(`${code ?? ''} ${error}`.trim())] : [],
  );
  const [first] = warnings;
  if (objects.length === 0 && first) throw first;
  return { objects, warnings };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}
