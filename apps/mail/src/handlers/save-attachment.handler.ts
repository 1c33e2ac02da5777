import {
  infostore,
  mail,
  MailErrors,
  MAX_FILE_UPLOAD,
  RequestErrors,
  type CallOf,
  type Handler,
  type SavedMailAttachment,
} from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { Caller } from '@groupware/messaging';
import { Handles, Properties } from '@groupware/service-kit';
import { Inject } from '@nestjs/common';
import { toMailFolderId } from '../domain/mail-folder';
import { OpenedMails } from '../downloads/opened-mails';
import { PartFiles } from '../downloads/part-files';

/** `attachment` by PUT: a file of a mail becomes a document of the user. The files service decides whether it may. */
@Handles(mail.saveAttachment)
export class SaveAttachmentHandler implements Handler<typeof mail.saveAttachment> {
  constructor(
    private readonly mails: OpenedMails,
    private readonly files: PartFiles,
    private readonly caller: Caller,
    private readonly properties: Properties,
    @Inject(FILES) private readonly store: FileStore,
  ) {}

  async handle(call: CallOf<typeof mail.saveAttachment>): Promise<SavedMailAttachment> {
    const { query, body, principal } = call;
    if (!principal.capabilities.includes('infostore')) throw RequestErrors.noModulePermission('infostore');
    const opened = await this.mails.openMail(call, query.folder, query.id, false);
    const file = await this.files.findFile(opened, { id: query.attachment });
    if (!file) throw MailErrors.attachmentNotFound(query.attachment);
    const limit = this.properties.serverValue(MAX_FILE_UPLOAD);
    const { contextId } = principal;
    const stored = await this.store.write(file.open(), { maxBytes: limit > 0 ? limit : Infinity, contextId });
    const filename = body.filename || file.filename;
    const json = { folder_id: body.folder_id || query.dest_folder, filename, description: body.description };
    try {
      const saved = (await this.caller.call(infostore.newFile, {
        principal,
        query: { extendedResponse: true },
        body: { json: JSON.stringify(json) },
        files: [{ field: 'file', name: filename, contentType: file.type, ...stored }],
      })) as { readonly id: string; readonly folder_id: string; readonly filename: string };
      return {
        mailFolder: toMailFolderId(opened.folder),
        mailUID: String(opened.uid),
        id: saved.id,
        folder_id: saved.folder_id,
        filename: saved.filename,
      };
    } finally {
      // A file that became a document is claimed, and stays.
      await this.store.discard(stored.reference).catch(() => undefined);
    }
  }
}
