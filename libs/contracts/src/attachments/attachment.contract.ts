import { action, defineModule, Field, file, jsonListOf, one, page, requireRights, rows, upload, value } from '../kit';
import { moduleScopes } from '../app-passwords/app-scopes';
import { RequestErrors } from '../edge/edge.errors';
import { ACCOUNT_PREFIX } from '../folders/folder-id';
import { AttachmentErrors, FileErrors, VirusErrors } from './attachment.errors';
import { QuotaErrors } from '../quota/quota.errors';
import { AttachmentData } from './attachment.model';
import { MAX_ATTACHMENT_UPLOAD } from './attachment.properties';
import { ATTACHMENT_RIGHTS } from './attachment.access';

/** Most ids in one request: as many as an object may carry, see the property maxPerObject. */
const MOST_IDS = 10_000;

const zone = Field.text({ doc: 'Zone of the times; default: that of the user', optional: true, maxLength: 64 });

/** The object whose attachments are meant. */
export class AttachedObjectQuery {
  @Field.int({ doc: 'Object', min: 0 }) attached!: number;
  @Field.int({
    doc: 'Folder through which the user sees the object; also with its account: `con://0/31`',
    min: 0,
    prefix: ACCOUNT_PREFIX,
  })
  folder!: number;
  @Field.int({ doc: '1 appointment, 4 task, 7 contact, 137 infostore', min: 0 }) module!: number;
}

/** Columns of some attachments of an object. */
export class AttachmentListQuery extends AttachedObjectQuery {
  @Field.columns({ doc: 'Column numbers of the answer' }) columns!: string[];
  @zone timezone?: string;
}

/** Rows in an order. */
export class AttachmentAllQuery extends AttachmentListQuery {
  @Field.text({ doc: 'Column to sort by, only together with order', optional: true, maxLength: 64 }) sort?: string;
  @Field.text({ doc: 'asc or desc, only together with sort', optional: true, values: ['asc', 'desc', 'ASC', 'DESC'] })
  order?: string;
}

/** Rows since a moment. */
export class AttachmentUpdatesQuery extends AttachmentAllQuery {
  @Field.timestamp({ doc: 'Answer what was attached or detached later, ms UTC; default: everything', optional: true })
  timestamp?: number;
  @Field.text({ doc: 'deleted leaves out the ids of detached files', optional: true, maxLength: 64 }) ignore?: string;
}

/** One attachment. */
export class AttachmentQuery extends AttachedObjectQuery {
  @Field.int({ doc: 'Attachment', min: 0 }) id!: number;
}

/** One attachment without its bytes. */
export class AttachmentGetQuery extends AttachmentQuery {
  @zone timezone?: string;
}

/** The bytes of one attachment. */
export class AttachmentDocumentQuery extends AttachmentQuery {
  @Field.text({
    doc: 'Media type of the answer; types that could run in a browser are answered as application/octet-stream',
    optional: true,
    maxLength: 255,
  })
  content_type?: string;
  @Field.text({
    doc: 'inline shows types without active content in the browser',
    optional: true,
    values: ['attachment', 'inline'],
  })
  content_disposition?: string;
  @Field.boolean({ doc: 'Scan for viruses first', optional: true }) scan?: boolean;
  @Field.int({ doc: 'Offset of the first byte wanted', optional: true, max: Number.MAX_SAFE_INTEGER }) off?: number;
  @Field.int({ doc: 'Number of bytes wanted', optional: true, max: Number.MAX_SAFE_INTEGER }) len?: number;
}

/** Several attachments. */
export class AttachmentArchiveQuery extends AttachedObjectQuery {
  @Field.listOf('int', { doc: 'Ids of the attachments, separated by commas', maxItems: MOST_IDS }) id!: number[];
}

/** Which module the object belongs to is known to the service: it asks for the scope of that one. */
const MODULES_WITH_ATTACHMENTS = ['calendar', 'contacts', 'tasks', 'infostore'] as const;
const ATTACHMENT_READERS = moduleScopes(MODULES_WITH_ATTACHMENTS, 'read');
const ATTACHMENT_WRITERS = moduleScopes(MODULES_WITH_ATTACHMENTS, 'write');
const badParameter = AttachmentErrors.badNumber;
const scanned = [VirusErrors.found, VirusErrors.unavailable, VirusErrors.tooLarge];

/** Files on objects of any module. */
export const attachment = defineModule(
  'attachment',
  {
    all: action({
      access: requireRights(ATTACHMENT_RIGHTS.read),
      appScopes: ATTACHMENT_READERS,
      guests: true,
      http: 'GET',
      doc: 'Lists the attachments of an object, by default in the order in which they were attached',
      query: AttachmentAllQuery,
      badParameter,
      reply: rows(AttachmentData),
      auth: 'session',
      errors: [badParameter, RequestErrors.missingParameter],
    }),
    attach: action({
      access: requireRights(ATTACHMENT_RIGHTS.write),
      appScopes: ATTACHMENT_WRITERS,
      http: 'POST',
      doc: 'Attaches files: json_0 with folder, attached and module beside file_0, and so on; all or none',
      body: upload<Record<string, string>>(undefined, { limit: MAX_ATTACHMENT_UPLOAD }),
      reply: page<number[]>('ids of the attachments in the order of the parts'),
      repeatable: false,
      deadlineMs: 120_000,
      auth: 'session',
      errors: [
        AttachmentErrors.quotaReached,
        QuotaErrors.exceeded,
        AttachmentErrors.fileMissing,
        AttachmentErrors.invalid,
        badParameter,
        VirusErrors.found,
      ],
    }),
    detach: action({
      access: requireRights(ATTACHMENT_RIGHTS.write),
      appScopes: ATTACHMENT_WRITERS,
      http: 'PUT',
      doc: 'Removes attachments of an object; unknown ids are ignored',
      query: AttachedObjectQuery,
      badParameter,
      body: jsonListOf<number>('int', { maxItems: MOST_IDS }),
      reply: value<Record<string, never>>('an empty object'),
      auth: 'session',
      errors: [badParameter],
    }),
    document: action({
      access: requireRights(ATTACHMENT_RIGHTS.read),
      appScopes: ATTACHMENT_READERS,
      guests: true,
      http: 'GET',
      doc: 'Reads the bytes of an attachment, whole or in part; also as attachment/<file name>',
      query: AttachmentDocumentQuery,
      badParameter,
      reply: file('application/octet-stream'),
      deadlineMs: 120_000,
      auth: 'session',
      errors: [AttachmentErrors.notFound, FileErrors.badOffset, FileErrors.badLength, ...scanned, badParameter],
    }),
    get: action({
      access: requireRights(ATTACHMENT_RIGHTS.read),
      appScopes: ATTACHMENT_READERS,
      guests: true,
      http: 'GET',
      doc: 'Reads one attachment without its bytes',
      query: AttachmentGetQuery,
      badParameter,
      reply: one(AttachmentData),
      auth: 'session',
      errors: [AttachmentErrors.notFound, badParameter],
    }),
    list: action({
      access: requireRights(ATTACHMENT_RIGHTS.read),
      appScopes: ATTACHMENT_READERS,
      guests: true,
      http: 'PUT',
      doc: 'Reads attachments by id; rows in the order asked for, missing ones left out',
      query: AttachmentListQuery,
      badParameter,
      body: jsonListOf<number>('int', { maxItems: MOST_IDS }),
      reply: rows(AttachmentData),
      reads: true,
      auth: 'session',
      errors: [badParameter],
    }),
    updates: action({
      access: requireRights(ATTACHMENT_RIGHTS.read),
      appScopes: ATTACHMENT_READERS,
      http: 'GET',
      doc: 'Rows of what was attached after a moment, then the bare ids of what was detached',
      query: AttachmentUpdatesQuery,
      badParameter,
      reply: rows(AttachmentData),
      auth: 'session',
      errors: [badParameter],
    }),
    zipDocumentsById: action({
      access: requireRights(ATTACHMENT_RIGHTS.read),
      appScopes: ATTACHMENT_READERS,
      http: 'GET',
      action: 'zipDocuments',
      doc: 'The same as PUT zipDocuments, with the ids in the address: for links',
      query: AttachmentArchiveQuery,
      badParameter,
      reply: file('application/zip'),
      deadlineMs: 120_000,
      auth: 'session',
      errors: [AttachmentErrors.notFound, badParameter],
    }),
    zipDocuments: action({
      access: requireRights(ATTACHMENT_RIGHTS.read),
      appScopes: ATTACHMENT_READERS,
      http: 'PUT',
      doc: 'Reads the bytes of several attachments as one ZIP file',
      query: AttachedObjectQuery,
      badParameter,
      body: jsonListOf<number>('int', { maxItems: MOST_IDS }),
      reply: file('application/zip'),
      reads: true,
      deadlineMs: 120_000,
      auth: 'session',
      errors: [AttachmentErrors.notFound, badParameter],
    }),
  },
  { service: 'attachments' },
);
