import { action, defineModule, Field, file, jsonList, page, requireRights, upload } from '../kit';
import { FolderErrors } from '../folders/folder.errors';
import { AppointmentErrors, ImportExportErrors, ObjectErrors } from './calendar.errors';
import { APPOINTMENT_RIGHTS } from './appointment.access';
import { FOLDER_RIGHTS } from '../folders/folder.access';

/** Target and options of an import of a calendar file. */
export class CalendarImportQuery {
  @Field.id({ doc: 'Calendar folder', joinsRepeated: true }) folder!: string;
  @Field.presence({ doc: 'Tell attendees elsewhere nothing of what the file changes for them, whatever the value' })
  suppressNotification?: boolean;
  @Field.boolean({ doc: 'Give every appointment a new unique id', optional: true }) ignoreUIDs?: boolean;
  @Field.boolean({ doc: 'Try everything and store nothing; results have no ids', optional: true }) dryRun?: boolean;
  @Field.boolean({ doc: 'Answer JSON instead of an HTML page', optional: true }) plainJson?: boolean;
}

/** The outcome for one item of the file, in the order of the file: either what was stored, or the error fields. */
export interface ImportedItem {
  readonly id?: string;
  readonly folder_id?: string;
  /** ms UTC. */
  readonly last_modified?: number;
  /** Place of the item in the file, from 0. */
  readonly index?: number;
  /** Line of the file on which the item begins, from 1. */
  readonly line_number?: number;
  readonly uid?: string;
  /** Names of the fields that an error or a warning is about. */
  readonly field_names?: readonly string[];
  /** Parts repaired or left out: the item was stored nevertheless. Messages are English and technical. */
  readonly warnings?: readonly { readonly code: string; readonly message: string; readonly line_number?: number }[];
  readonly code?: string;
  readonly error?: string;
}

/** Import of files. */
export const calendarImport = defineModule(
  'import',
  {
    ICAL: action({
      access: requireRights(APPOINTMENT_RIGHTS.create),
      appScopes: ['write_calendar'],
      http: 'POST',
      doc: 'Imports an iCalendar file into a calendar; answers a result per item. The same file may be imported again: an event that is there as in the file is refused with CAL-4090, another one with a known unique id is brought up to date',
      query: CalendarImportQuery,
      body: upload(undefined, { required: false }),
      reply: page<ImportedItem[]>('a result per item in the order of the file'),
      repeatable: false,
      deadlineMs: 600_000,
      auth: 'session',
      capability: 'calendar',
      withoutCapability: ImportExportErrors.noCalendar,
      errors: [
        ImportExportErrors.noCalendar,
        ImportExportErrors.noFile,
        ImportExportErrors.notOneFile,
        ImportExportErrors.emptyFile,
        ImportExportErrors.noContent,
        ImportExportErrors.wrongFolder,
        ImportExportErrors.notOneFolder,
        FolderErrors.notVisible,
      ],
    }),
  },
  { service: 'calendar' },
);

/** Which folder to export. */
export class CalendarExportQuery {
  @Field.id({ doc: 'Calendar folder' }) folder!: string;
}

/** Names an object to export. */
export class ExportReference {
  @Field.id({ doc: 'Object' }) id!: string;
  @Field.id({ doc: 'Folder of the object' }) folder_id!: string;
}

/** Export of files. */
export const calendarExport = defineModule(
  'export',
  {
    ICAL: action({
      access: requireRights(FOLDER_RIGHTS.see, APPOINTMENT_RIGHTS.read),
      appScopes: ['read_calendar'],
      http: 'GET',
      doc: 'Exports a calendar as an iCalendar file',
      query: CalendarExportQuery,
      reply: file('text/calendar'),
      deadlineMs: 600_000,
      auth: 'session',
      capability: 'calendar',
      errors: [ImportExportErrors.notExportable, FolderErrors.notFound, FolderErrors.notVisible, FolderErrors.badId],
    }),
    ICALObjects: action({
      access: requireRights(FOLDER_RIGHTS.see, APPOINTMENT_RIGHTS.read),
      appScopes: ['read_calendar', 'read_tasks'],
      http: 'PUT',
      action: 'ICAL',
      doc: 'Exports some appointments and tasks as an iCalendar file; appointments need the capability and the scope of calendars, tasks those of tasks. Tasks come after appointments, in a calendar object of their own',
      body: jsonList(ExportReference),
      reply: file('text/calendar'),
      reads: true,
      deadlineMs: 600_000,
      auth: 'session',
      errors: [
        ImportExportErrors.notExportable,
        ObjectErrors.notFound,
        AppointmentErrors.wrongFolder,
        FolderErrors.notVisible,
        FolderErrors.badId,
      ],
    }),
  },
  { service: 'calendar' },
);
