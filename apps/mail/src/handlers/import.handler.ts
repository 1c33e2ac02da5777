import {
  CatalogueError,
  isCatalogueError,
  MailErrors,
  mailSending,
  RequestErrors,
  type CallOf,
  type Handler,
  type MailImportResult,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Mailboxes } from '../accounts/mailboxes';
import { parseMailFolder, toMailFolderId, type MailFolder } from '../domain/mail-folder';
import { writeSource } from '../domain/mail-source';
import { findReceived } from '../domain/received-time';
import { findStandardFolder } from '../folders/standard-folders';
import { ImportedMails } from '../sending/imported-mails';
import { OutgoingFiles, type OutgoingFile } from '../sending/outgoing-files';
import { StoredMails } from '../sending/stored-mails';
import { toStoredFlags } from './new-source.handler';

type ImportCall = CallOf<typeof mailSending.import>;

/** `import`: stores mails in a folder, each for itself. */
@Handles(mailSending.import)
export class ImportHandler implements Handler<typeof mailSending.import> {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly imported: ImportedMails,
    private readonly stored: StoredMails,
    private readonly files: OutgoingFiles,
  ) {}

  async handle(call: ImportCall): Promise<MailImportResult[]> {
    const { query } = call;
    const uploads = this.files.fromUploads(call.files);
    if (uploads.length === 0) throw RequestErrors.missingParameter('file');
    const folder = parseMailFolder(query.folder);
    const isDraft = await this.isDraftsFolder(call, folder);
    // A foreign author refuses them all, before the first is stored.
    if (!query.force) for (const file of uploads) await this.attempt(call, file);
    const results: MailImportResult[] = [];
    for (const file of uploads)
      results.push(await this.storeFile(call, folder, file, toStoredFlags(query.flags ?? 0, isDraft)));
    return results;
  }

  private async storeFile(
    call: ImportCall,
    folder: MailFolder,
    file: OutgoingFile,
    flags: readonly string[],
  ): Promise<MailImportResult> {
    try {
      const mail = await this.imported.readMail(call, file, call.query.force === true);
      const received = call.query.preserveReceivedDate ? findReceived(mail.headers) : undefined;
      const { uid } = await this.stored.storeMail(call, folder, writeSource(mail.source), flags, received);
      return { folder_id: toMailFolderId(folder), ...(uid ? { id: String(uid) } : {}) };
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      return { folder_id: toMailFolderId(folder), filename: file.name, error: error.message, code: error.code };
    }
  }

  /** @throws MSG-0056; other problems are those of the file alone */
  private async attempt(call: ImportCall, file: OutgoingFile): Promise<void> {
    try {
      await this.imported.readMail(call, file, false);
    } catch (error) {
      if (isCatalogueError(error, MailErrors.senderNotAllowed)) throw error;
    }
  }

  /** @throws IMAP-1002 for a missing folder */
  private isDraftsFolder(call: ImportCall, folder: MailFolder): Promise<boolean> {
    return this.mailboxes.useFolder(call, folder, { repeatable: true }, async ({ session, account }) => {
      const listed = await session.listMailboxes(false);
      return findStandardFolder(listed, account, 'drafts')?.path === folder.path;
    });
  }
}
