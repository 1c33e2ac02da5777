import {
  mail,
  MailErrors,
  MAX_FILE_UPLOAD,
  RequestErrors,
  type CallOf,
  type Handler,
  type SavedMailAttachment,
} from '@groupware/contracts';
import { Handles, Properties } from '@groupware/service-kit';
import { toMailFolderId } from '../domain/mail-folder';
import { OpenedMails } from '../downloads/opened-mails';
import { PartFiles } from '../downloads/part-files';
import { StoredDocuments } from '../sending/stored-documents';

/** `attachment` by PUT: a file of a mail becomes a document of the user. The files service decides whether it may. */
@Handles(mail.saveAttachment)
export class SaveAttachmentHandler implements Handler<typeof mail.saveAttachment> {
  constructor(
    private readonly mails: OpenedMails,
    private readonly files: PartFiles,
    private readonly documents: StoredDocuments,
    private readonly properties: Properties,
  ) {}

  async handle(call: CallOf<typeof mail.saveAttachment>): Promise<SavedMailAttachment> {
    const { query, body, principal } = call;
    if (!principal.capabilities.includes('infostore')) throw RequestErrors.noModulePermission('infostore');
    const opened = await this.mails.openMail(call, query.folder, query.id, false);
    const file = await this.files.findFile(opened, { id: query.attachment });
    if (!file) throw MailErrors.attachmentNotFound(query.attachment);
    const limit = this.properties.serverValue(MAX_FILE_UPLOAD);
    const saved = await this.documents.storeDocument(call, {
      folder: body.folder_id || query.dest_folder,
      name: body.filename || file.filename,
      type: file.type,
      title: body.title,
      description: body.description,
      maxBytes: limit > 0 ? limit : Infinity,
      bytes: file.open(),
    });
    return {
      mailFolder: toMailFolderId(opened.folder),
      mailUID: String(opened.uid),
      id: saved.id,
      folder_id: saved.folder_id,
      filename: saved.filename,
    };
  }
}
