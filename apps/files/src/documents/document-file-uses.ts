import { Injectable } from '@nestjs/common';
import { FileLimitErrors } from '@groupware/contracts';
import { Logger } from '@groupware/service-kit';
import { FileUses } from '@groupware/stored-files';

/** Versions of documents keep stored files. */
@Injectable()
export class DocumentFileUses extends FileUses {
  readonly service = 'files';
  readonly table = 'document_version';
  readonly notSaved = FileLimitErrors.notSaved;
  readonly log = Logger.for('files');
}
