import { VirusErrors } from '../attachments/attachment.errors';
import { RequestErrors, UploadErrors } from '../edge/edge.errors';
import { fileKeeper } from '../identity/file-keeper.contract';
import { ImageErrors } from '../identity/identity.errors';
import {
  action,
  allowCallers,
  defineModule,
  file,
  json,
  jsonList,
  jsonListOf,
  none,
  page,
  requireRights,
  upload,
  value,
} from '../kit';
import { QuotaErrors } from '../quota/quota.errors';
import { SNIPPET_RIGHTS } from './snippet.access';
import { SnippetErrors } from './snippet.errors';
import {
  NewSnippet,
  SnippetAttachmentQuery,
  SnippetAttachmentReference,
  SnippetDeletionQuery,
  SnippetPictureQuery,
  SnippetQuery,
  SnippetsQuery,
  SnippetUpdate,
  SnippetUploadQuery,
  type Snippet,
} from './snippet.model';
import { MAX_SNIPPET_UPLOAD } from './snippet.properties';

/** Largest body with a text and the pictures that stand in it, bytes. */
const MAX_BODY_BYTES = 16_777_216;
const MOST_IDS = 1_000;
/** Snippets are settings of their users, for reading as for writing. */
const SCOPES = ['write_userconfig'] as const;

const reading = {
  access: requireRights(SNIPPET_RIGHTS.read),
  auth: 'session',
  appScopes: SCOPES,
} as const;
const writing = {
  access: requireRights(SNIPPET_RIGHTS.write),
  auth: 'session',
  appScopes: SCOPES,
  http: 'PUT',
  deadlineMs: 60_000,
} as const;
const ofContent = [
  SnippetErrors.tooManyPictures,
  SnippetErrors.pictureTooLarge,
  SnippetErrors.badPicture,
  SnippetErrors.tooLarge,
  SnippetErrors.rawTooLarge,
  SnippetErrors.nameTooLong,
  SnippetErrors.moduleTooLong,
  SnippetErrors.typeTooLong,
  SnippetErrors.fieldsTooLong,
  QuotaErrors.exceeded,
  RequestErrors.badBodyData,
];
const ofOwn = [SnippetErrors.notFound, SnippetErrors.notOwn];

/** Signatures and text blocks of users, with their pictures. */
export const snippets = defineModule(
  'snippet',
  {
    all: action({
      ...reading,
      http: 'GET',
      doc: 'Reads the snippets of the user and those that others of the context share',
      query: SnippetsQuery,
      reply: value<Snippet[]>('snippets in the order in which they were made'),
    }),
    list: action({
      ...reading,
      http: 'PUT',
      doc: 'Reads snippets in the order of their ids; unknown ones are left out',
      body: jsonListOf<string>('id', { maxItems: MOST_IDS }),
      reply: value<Snippet[]>('snippets'),
      reads: true,
    }),
    get: action({
      ...reading,
      http: 'GET',
      doc: 'Reads a snippet',
      query: SnippetQuery,
      reply: value<Snippet>('the snippet'),
      errors: [SnippetErrors.notFound],
    }),
    new: action({
      ...writing,
      access: allowCallers('the snippet belongs to who makes it'),
      doc: 'Stores a snippet',
      body: json(NewSnippet, { maxBytes: MAX_BODY_BYTES, mayBeLong: true }),
      reply: value<string>('id of the snippet'),
      errors: ofContent,
    }),
    update: action({
      ...writing,
      doc: 'Changes the fields that the body has; pictures that the text shows no longer go',
      query: SnippetQuery,
      body: json(SnippetUpdate, { maxBytes: MAX_BODY_BYTES, mayBeLong: true }),
      reply: value<Snippet>('the whole snippet'),
      errors: [...ofOwn, ...ofContent],
    }),
    delete: action({
      ...writing,
      doc: 'Deletes snippets with their files, all or none',
      query: SnippetDeletionQuery,
      body: jsonListOf<string>('id', { required: false, maxItems: MOST_IDS }),
      reply: none(),
      errors: [...ofOwn, RequestErrors.missingParameter],
    }),
    attach: action({
      ...writing,
      http: 'POST',
      doc: 'Attaches files to a snippet, all or none',
      query: SnippetUploadQuery,
      body: upload<Record<string, string>>(undefined, { limit: MAX_SNIPPET_UPLOAD }),
      reply: page<string>('id of the snippet'),
      deadlineMs: 120_000,
      errors: [
        ...ofOwn,
        UploadErrors.missingParameter,
        UploadErrors.wrongType,
        QuotaErrors.exceeded,
        VirusErrors.found,
        VirusErrors.unavailable,
        VirusErrors.tooLarge,
      ],
    }),
    detach: action({
      ...writing,
      doc: 'Removes files from a snippet, all or none',
      query: SnippetQuery,
      body: jsonList(SnippetAttachmentReference, { maxItems: MOST_IDS }),
      reply: value<string>('id of the snippet'),
      errors: [...ofOwn, SnippetErrors.attachmentNotFound],
    }),
    getattachment: action({
      ...reading,
      http: 'GET',
      doc: 'The bytes of a file of a snippet; a page with status 404 where there is none',
      query: SnippetAttachmentQuery,
      reply: file('application/octet-stream'),
      deadlineMs: 120_000,
    }),
  },
  { service: 'mail' },
);

/** Pictures of snippets, for pages that show them: the public session is enough. */
export const snippetPicture = defineModule(
  'image/snippet/image',
  {
    picture: action({
      ...reading,
      http: 'GET',
      action: null,
      publicSession: true,
      doc: 'A picture that the text of a snippet shows, of the type that its bytes tell',
      query: SnippetPictureQuery,
      reply: file('image/*'),
      errors: [ImageErrors.notFound],
    }),
  },
  { service: 'mail' },
);

/** The files of snippets, as the move of a context sees them. */
export const mailFiles = fileKeeper('mail');
