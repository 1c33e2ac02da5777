import { ATTACHMENT_RIGHTS } from '../attachments/attachment.access';
import { CalendarErrors } from '../calendar/calendar.errors';
import { RequestErrors } from '../edge/edge.errors';
import { FolderErrors } from '../folders/folder.errors';
import { action, defineModule, Field, file, jsonListOf, requireRights } from '../kit';

/** The event whose files are meant. */
export class EventFilesQuery {
  @Field.id({ doc: 'Event' }) id!: string;
  @Field.id({ doc: 'Folder' }) folder!: string;
}

/** A file of an event. */
export class EventFileQuery extends EventFilesQuery {
  @Field.int({ doc: 'Id of the file', min: 0 }) managedId!: number;
}

const reading = {
  access: requireRights(ATTACHMENT_RIGHTS.read),
  appScopes: ['read_calendar'],
  auth: 'session',
  capability: 'calendar',
  deadlineMs: 120_000,
} as const;
const errors = [
  FolderErrors.notFound,
  CalendarErrors.eventNotFound,
  CalendarErrors.eventNotInFolder,
  CalendarErrors.attachmentNotFound,
];

/** Files of events: those of the attachments module. */
export const chronosAttachments = defineModule(
  'chronos',
  {
    getAttachment: action({
      ...reading,
      http: 'GET',
      doc: 'Reads the bytes of a file of an event',
      query: EventFileQuery,
      reply: file('application/octet-stream'),
      errors: [...errors, FolderErrors.notVisible],
    }),
    zipAttachments: action({
      ...reading,
      http: 'PUT',
      doc: 'Reads several files of an event as one ZIP file',
      query: EventFilesQuery,
      body: jsonListOf<string>('id'),
      reply: file('application/zip'),
      reads: true,
      errors: [...errors, RequestErrors.badBodyData, RequestErrors.missingParameter],
    }),
  },
  { service: 'attachments' },
);
