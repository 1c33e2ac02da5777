import { action, defineModule, Field, file, requireRights } from '../kit';
import { ImageErrors } from '../identity/identity.errors';
import { PictureQuery } from '../pictures';
import { FILE_RIGHTS } from './file.access';

/** Which audio file, and the form of its picture. */
export class AudioCoverQuery extends PictureQuery {
  @Field.id({ doc: 'Document, as number or with its folder' }) id!: string;
}

/** Pictures in audio files, for pages that show them: the public session is enough. */
export const audioCover = defineModule(
  'image/file/mp3cover',
  {
    cover: action({
      access: requireRights(FILE_RIGHTS.read),
      appScopes: ['read_files'],
      http: 'GET',
      action: null,
      publicSession: true,
      capability: 'infostore',
      doc: 'The picture of the cover in an audio file of the user',
      query: AudioCoverQuery,
      reply: file('image/*'),
      reads: true,
      deadlineMs: 60_000,
      auth: 'session',
      errors: [ImageErrors.notFound],
    }),
  },
  { service: 'files' },
);
