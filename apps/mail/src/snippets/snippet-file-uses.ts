import { UploadErrors } from '@groupware/contracts';
import { Logger } from '@groupware/service-kit';
import { FileUses } from '@groupware/stored-files';
import { Injectable } from '@nestjs/common';

/** Snippets keep stored files. */
@Injectable()
export class SnippetFileUses extends FileUses {
  readonly service = 'mail';
  readonly table = 'snippet_file';
  readonly notSaved = UploadErrors.failed;
  readonly log = Logger.for('mail');
}
