import { action, allowCallers, defineModule, Field, file, page, property, upload, value } from '../kit';
import { UploadErrors } from '../edge/edge.errors';
import { ImageErrors } from '../identity/identity.errors';
import { PictureQuery } from '../pictures';
import { VirusErrors } from './attachment.errors';

/** How long a managed file is kept that no client asks for. */
export const MANAGED_FILE_IDLE_MS = property<number>({
  key: 'com.example.file.managed.idle',
  default: 300_000,
  min: 1000,
  max: 86_400_000,
  doc: 'How long a managed file is kept after it was made, read or kept alive for the last time, ms',
  scopes: ['context', 'server'],
});

/** Most managed files of a user. */
export const MAX_MANAGED_FILES = property<number>({
  key: 'com.example.file.managed.maxPerUser',
  default: 200,
  min: 1,
  max: 10_000,
  doc: 'Most managed files of a user at one time; beyond, the oldest go',
  scopes: ['context', 'server'],
});

/** Most bytes of the managed files of a user. */
export const MAX_MANAGED_BYTES = property<number>({
  key: 'com.example.file.managed.maxUploadSize',
  default: 104_857_600,
  min: 1,
  doc: 'Most bytes of all managed files of a user at one time, also of one upload; beyond, the oldest go',
});

/** Kinds of files that an upload may be limited to. */
export const MANAGED_FILE_TYPES = ['file', 'text', 'media', 'image', 'audio', 'video', 'application'] as const;
/** See {@link MANAGED_FILE_TYPES}. */
export type ManagedFileType = (typeof MANAGED_FILE_TYPES)[number];

/** Module and kind of the uploaded files. */
export class ManagedFileUpload {
  @Field.text({ doc: 'Module that the files are for; only told', maxLength: 64 }) module!: string;
  @Field.text({
    doc: 'Kind that all of them must be, by their bytes. media: image, audio or video; file: any',
    values: [...MANAGED_FILE_TYPES],
  })
  type!: ManagedFileType;
}

/** Which file. */
export class ManagedFileQuery {
  @Field.text({ doc: 'Id as answered by new', maxLength: 64 }) id!: string;
}

/** Which picture. */
export class ManagedPictureQuery extends PictureQuery {
  @Field.text({ doc: 'Id as answered by file?action=new', maxLength: 64 }) uid!: string;
}

const OWN = allowCallers('files of the user of the session only, by ids that nobody can guess');

/** Files that a client uploads before it says what they are for, such as the pictures of a mail that is being written. */
export const managedFiles = defineModule(
  'file',
  {
    new: action({
      access: OWN,
      http: 'POST',
      doc: 'Keeps files for a while. They need no room of the file store of the context',
      query: ManagedFileUpload,
      body: upload<Record<string, string>>(undefined, { limit: MAX_MANAGED_BYTES }),
      reply: page<string[]>('ids in the order of the files'),
      repeatable: false,
      deadlineMs: 120_000,
      auth: 'session',
      errors: [
        UploadErrors.missingParameter,
        UploadErrors.wrongType,
        VirusErrors.found,
        VirusErrors.unavailable,
        VirusErrors.tooLarge,
      ],
    }),
    get: action({
      access: OWN,
      http: 'GET',
      doc: 'Reads the bytes of a managed file, and keeps it for another while',
      query: ManagedFileQuery,
      reply: file('application/octet-stream'),
      reads: true,
      deadlineMs: 120_000,
      auth: 'session',
      errors: [UploadErrors.notFound],
    }),
    keepalive: action({
      access: OWN,
      http: 'GET',
      doc: 'Keeps a managed file for another while',
      query: ManagedFileQuery,
      reply: value<boolean>('true'),
      reads: true,
      auth: 'session',
      errors: [UploadErrors.notFound],
    }),
  },
  { service: 'attachments' },
);

/** Managed files that are pictures, for pages that show them: the public session is enough. */
export const managedPicture = defineModule(
  'image/mfile/picture',
  {
    picture: action({
      access: OWN,
      http: 'GET',
      action: null,
      publicSession: true,
      doc: 'A managed file that is a picture, which is kept for another while',
      query: ManagedPictureQuery,
      reply: file('image/*'),
      reads: true,
      deadlineMs: 60_000,
      auth: 'session',
      errors: [ImageErrors.notFound],
    }),
  },
  { service: 'attachments' },
);
