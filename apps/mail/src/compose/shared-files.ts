import {
  folders,
  formatMessage,
  infostore,
  infostoreFolders,
  localText,
  MailErrors,
  opensToApp,
  SHARE_COMPOSED_FILES,
  SHARE_ENDS_FILES,
  SHARE_FOLDER,
  SHARE_LOCALE,
  SHARE_NEEDS_EXPIRY,
  SHARE_THRESHOLD,
  shareManagement,
  type ComposeSharedAttachments,
  type EdgeRequest,
  type UserPrincipal,
  type UserRequest,
} from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { escapeHtml } from '@groupware/mail-content';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { Logger, Properties } from '@groupware/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { WrittenMail } from '../sending/mail-sending';
import type { OutgoingFile } from '../sending/outgoing-files';
import { StoredDocuments } from '../sending/stored-documents';
import { ComposeRepository } from './compose.repository';

const log = Logger.for('mail');

/** Tells other programs of the product where the files of a mail are. */
const REFERENCE = 'X-Svc-Share-Reference';
/** Later than any change. */
const ANY_TIME = 253_402_300_799_999;
const MAX_TITLE = 100;
/** Values of properties that stand for the language of the user. */
const OWN_LANGUAGE = 'user-defined';
const NAME_OF_LANGUAGE = 'i18n-defined';
/** Columns of folders: id and title. */
const FOLDER_COLUMNS = ['1', '300'];
/** Operations by which files are shared: an application needs the scopes of all of them, not of mails alone. */
const SHARING = [
  folders.list,
  folders.new,
  infostore.newFile,
  shareManagement.getLink,
  shareManagement.updateLink,
] as const;

/** A request that knows by which host the client came. */
export interface SharingRequest extends UserRequest {
  readonly edge?: EdgeRequest;
}

/** A folder that holds the files of a mail. */
export interface SharedFolder {
  readonly id: string;
  /** Opens the folder for anybody. */
  readonly url: string;
  readonly files: readonly { readonly id: string; readonly name: string; readonly size: number }[];
}

/** Puts files of mails into folders of the user, which anybody opens by a link. */
@Injectable()
export class SharedFiles {
  constructor(
    private readonly caller: Caller,
    private readonly properties: Properties,
    private readonly documents: StoredDocuments,
    private readonly database: ModuleDatabase,
    private readonly rows: ComposeRepository,
    @Inject(FILES) private readonly store: FileStore,
  ) {}

  /**
   * How files go as a link, by the wish of the author and by what operators say; undefined where they are attached.
   * @throws MSG-0106 for users who may not, MSG-0107 without an end where links must have one
   */
  async resolveSharing(
    user: UserPrincipal,
    wanted: ComposeSharedAttachments,
    files: readonly OutgoingFile[],
  ): Promise<ComposeSharedAttachments | undefined> {
    const [isOffered, needsExpiry, threshold, endsFiles, locale] = await Promise.all([
      this.properties.get(SHARE_COMPOSED_FILES, user),
      this.properties.get(SHARE_NEEDS_EXPIRY, user),
      this.properties.get(SHARE_THRESHOLD, user),
      this.properties.get(SHARE_ENDS_FILES, user),
      this.properties.get(SHARE_LOCALE, user),
    ]);
    const total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    if (!wanted.enabled && !(threshold > 0 && total > threshold)) return undefined;
    const isCapable = ['infostore', 'share_links'].every((each) => user.capabilities.includes(each));
    const { appScopes } = user;
    const isOpen = !appScopes || SHARING.every((operation) => opensToApp(operation, appScopes));
    if (!isOffered || !isCapable || !isOpen) {
      if (wanted.enabled) throw MailErrors.sharingNotAllowed();
      return undefined;
    }
    if (needsExpiry && wanted.expiryDate === null) throw MailErrors.expiryRequired();
    if (files.length === 0) return undefined;
    return {
      ...wanted,
      autodelete: wanted.expiryDate !== null && (wanted.autodelete || endsFiles),
      language: wanted.language ?? (locale === OWN_LANGUAGE ? null : locale),
    };
  }

  /** Makes a folder with the files and a link to it, all or none. @throws what the folders and documents of the user throw */
  async shareFiles(
    request: SharingRequest,
    { subject, files }: Pick<WrittenMail, 'subject' | 'files'>,
    shared: ComposeSharedAttachments,
  ): Promise<SharedFolder> {
    const { principal } = request;
    const title = toTitle(subject) || localText('mail.sharedFiles.folder', principal.locale);
    const id = await this.caller.call(folders.new, {
      ...toCall(request),
      query: { folder_id: await this.findRoot(request), autorename: true },
      body: { title, module: 'infostore' },
    });
    try {
      const { password, expiryDate, autodelete } = shared;
      // Before there is anything to find: what is made for a while must not stay for ever.
      if (autodelete && expiryDate !== null)
        await this.database.transact(principal, (tx) =>
          this.rows.noteEnd(tx, principal.userId, Number(id), expiryDate),
        );
      const documents = [];
      for (const file of files) documents.push(await this.storeFile(request, id, file));
      const target = { module: 'infostore', folder: id };
      const { url } = await this.caller.call(shareManagement.getLink, { ...toCall(request), query: {}, body: target });
      if (password || expiryDate !== null)
        await this.caller.call(shareManagement.updateLink, {
          ...toCall(request),
          query: { timestamp: ANY_TIME, timezone: 'UTC' },
          body: {
            ...target,
            ...(password ? { password } : {}),
            ...(expiryDate === null ? {} : { expiry_date: expiryDate }),
          },
        });
      return { id, url, files: documents };
    } catch (error) {
      await this.removeFolder(request, { id });
      throw error;
    }
  }

  /** Removes a folder whose mail was not sent. Never fails: it is the user's, who sees it. */
  async removeFolder(request: SharingRequest, { id }: Pick<SharedFolder, 'id'>): Promise<void> {
    const query = { timestamp: ANY_TIME, hardDelete: true };
    await this.caller
      .call(folders.delete, { ...toCall(request), query, body: [id] })
      .then(() => this.database.transact(request.principal, (tx) => this.rows.forgetEnd(tx, Number(id))))
      .catch((error: unknown) =>
        log.warn(
          {
            requestId: request.requestId,
            context: request.principal.contextId,
            user: request.principal.userId,
            folder: id,
            cause: String(error),
          },
          'a folder with the files of a mail that was not sent stays',
        ),
      );
  }

  /** The mail with the link in place of its files. */
  toLinkedMail(
    user: UserPrincipal,
    mail: WrittenMail,
    folder: SharedFolder,
    shared: ComposeSharedAttachments,
  ): WrittenMail {
    const { type, content } = mail.body;
    const text = localText('mail.sharedFiles.text', shared.language ?? user.locale);
    const names = folder.files.map(({ name }) => name);
    const link =
      type === 'text/plain'
        ? `\r\n\r\n${formatMessage(text, [folder.url])}\r\n${names.map((name) => `- ${name}\r\n`).join('')}`
        : `<p>${formatMessage(escapeHtml(text), [`<a href="${escapeHtml(folder.url)}">${escapeHtml(folder.url)}</a>`])}</p><ul>${names
            .map((name) => `<li>${escapeHtml(name)}</li>`)
            .join('')}</ul>`;
    return {
      ...mail,
      files: [],
      body: { type, content: `${content}${link}` },
      headers: { ...mail.headers, [REFERENCE]: toReference(user, folder, shared) },
    };
  }

  private async storeFile(
    request: SharingRequest,
    folder: string,
    { name, type, reference, sizeBytes }: OutgoingFile,
  ): Promise<SharedFolder['files'][number]> {
    const bytes = this.store.read(reference);
    const saved = await this.documents.storeDocument(request, { folder, name, type, maxBytes: sizeBytes, bytes });
    return { id: saved.id, name: saved.filename, size: sizeBytes };
  }

  /** The folder that has a folder for each mail; made when there is none. */
  private async findRoot(request: SharingRequest): Promise<string> {
    const { principal } = request;
    const home = await this.findHome(request);
    const name = (await this.properties.get(SHARE_FOLDER, principal)).trim();
    if (name === '') return home;
    const title = name === NAME_OF_LANGUAGE ? localText('mail.sharedFiles.root', principal.locale) : name;
    const query = { parent: home, columns: FOLDER_COLUMNS };
    const listed = (await this.caller.call(folders.list, { ...toCall(request), query })) as readonly unknown[][];
    const found = listed.find(([, known]) => known === title);
    if (found) return String(found[0]);
    return this.caller.call(folders.new, {
      ...toCall(request),
      query: { folder_id: home, autorename: true },
      body: { title, module: 'infostore' },
    });
  }

  /** The folder of files that each user has; made when there is none. */
  private async findHome(request: SharingRequest): Promise<string> {
    const { userId, contextId, locale, displayName: name } = request.principal;
    const id = await this.caller.call(infostoreFolders.prepare, {
      ...toCall(request),
      principal: { kind: 'internal', service: 'mail', contextId },
      query: { user: userId, locale, name },
    });
    return String(id);
  }
}

const toCall = ({ principal, deadline, requestId, signal, edge }: SharingRequest) => ({
  principal,
  deadline,
  requestId,
  signal,
  ...(edge ? { edge } : {}),
});

/** A name for a folder that all clients can show. */
const toTitle = (subject: string): string =>
  subject
    .replace(/[^\p{L}\p{N}_-]+/gu, ' ')
    .slice(0, MAX_TITLE)
    .trim();

/** Formats the place of the files, without what opens them. */
function toReference(
  { contextId, userId }: UserPrincipal,
  folder: SharedFolder,
  { expiryDate }: ComposeSharedAttachments,
): string {
  const shareToken = /\/share\/([^/]+)/.exec(folder.url)?.[1];
  const expiration = expiryDate === null ? {} : { expiration: expiryDate };
  return Buffer.from(JSON.stringify({ shareToken, contextId, userId, folder: folder.id, ...expiration })).toString(
    'base64url',
  );
}
