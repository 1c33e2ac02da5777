import { Inject } from '@nestjs/common';
import {
  audioCover,
  CatalogueError,
  ImageErrors,
  type CallOf,
  type FileReply,
  type Handler,
} from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { ModuleDatabase } from '@groupware/persistence';
import { PictureRefusal, Pictures, toPictureReply } from '@groupware/pictures';
import { Handles } from '@groupware/service-kit';
import { parseDocumentId } from '../domain/document-id';
import { DocumentLocks } from '../documents/document-locks';
import { AudioFiles } from '../media/audio-files';

/** The address names no user: another one of the browser must not see what this one saw. */
const ASK_AGAIN = 'private, no-cache';
const TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
/** Sides beyond which a cover is scaled before it is stored in an answer. */
const LARGEST = { width: 1200, height: 1200 } as const;

/** `image/file/mp3cover`: the picture in an audio file. Whatever is wrong, there is no picture. */
@Handles(audioCover.cover)
export class AudioCoverHandler implements Handler<typeof audioCover.cover> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly locks: DocumentLocks,
    private readonly audio: AudioFiles,
    private readonly pictures: Pictures,
    @Inject(FILES) private readonly files: FileStore,
  ) {}

  async handle(call: CallOf<typeof audioCover.cover>): Promise<FileReply> {
    const cover = await this.findCover(call);
    if (!cover) throw ImageErrors.notFound();
    const source = { sizeBytes: cover.length, open: () => [cover] };
    try {
      const shown =
        (await this.pictures.transform(source, call.query)) ??
        (await this.pictures.accept(cover, { types: TYPES, ...LARGEST }));
      return toPictureReply(shown, { name: 'cover', cachePolicy: ASK_AGAIN });
    } catch (error) {
      if (error instanceof PictureRefusal) throw ImageErrors.notFound().with({ cause: error });
      throw error;
    }
  }

  private async findCover({ principal, query }: CallOf<typeof audioCover.cover>): Promise<Buffer | undefined> {
    try {
      const named = parseDocumentId(query.id, undefined);
      const { current } = await this.database.read(
        principal,
        async (db) => (await this.locks.requireReadable(db, principal, named)).document,
      );
      const { reference, mimeType, sizeBytes } = current;
      if (reference === null || !mimeType?.startsWith('audio/')) return undefined;
      const open = () => this.files.read(reference);
      return await this.audio.readCover({ mimeType, sizeBytes: sizeBytes ?? 0, open });
    } catch (error) {
      if (error instanceof CatalogueError) throw ImageErrors.notFound().with({ cause: error });
      throw error;
    }
  }
}
