import { Inject, Injectable } from '@nestjs/common';
import type { UserPrincipal } from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { ModuleDatabase } from '@groupware/persistence';
import { Pictures } from '@groupware/pictures';
import { Logger } from '@groupware/service-kit';
import type { Document } from '../domain/document';
import { AudioFiles } from '../media/audio-files';
import { DocumentRepository } from '../persistence/document.repository';

/** Notes what pictures and audio files say about themselves. */
@Injectable()
export class DocumentMedia {
  private readonly log = Logger.for('files.media');

  constructor(
    private readonly database: ModuleDatabase,
    private readonly documents: DocumentRepository,
    private readonly pictures: Pictures,
    private readonly audio: AudioFiles,
    @Inject(FILES) private readonly files: FileStore,
  ) {}

  /** Reads the current version of a document that was just written, if it is a picture or an audio file. Never fails: the document is stored. */
  async note(user: UserPrincipal, { id, current }: Document): Promise<void> {
    const { reference, mimeType, sizeBytes } = current;
    const kind = mimeType?.split('/')[0];
    if (reference === null || !mimeType || (kind !== 'image' && kind !== 'audio')) return;
    try {
      const open = () => this.files.read(reference);
      const media =
        kind === 'audio'
          ? await this.audio.describe({ mimeType, sizeBytes: sizeBytes ?? 0, open })
          : await this.pictures.describe({ sizeBytes: sizeBytes ?? undefined, open });
      await this.database.transact(user, (tx) => this.documents.updateMedia(tx, id, current, media ?? null));
    } catch (err) {
      this.log.warn({ err, id }, 'a file was not read for what it says about itself');
    }
  }
}
