import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import {
  CatalogueError,
  LONG_BODY_FIELD,
  managedFileContents,
  MAX_MAIL_SIZE,
  parseFormJson,
  SCAN_SENT_FILES,
  VirusErrors,
  type Model,
  type Tenant,
  type UploadedFile,
  type UserPrincipal,
} from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import type { ComposedFile } from '@groupware/mail-content';
import { Caller } from '@groupware/messaging';
import { Properties } from '@groupware/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { VirusCheck } from '../downloads/virus-check';

/** A file that goes along with a mail; its bytes are in the file store. */
export interface OutgoingFile {
  readonly name: string;
  readonly type: string;
  readonly reference: string;
  readonly sizeBytes: number;
  /** Content-ID of a picture that the text shows. */
  readonly cid?: string;
}

/** Files of mails that are written, in the file store until the mail is sent. */
@Injectable()
export class OutgoingFiles {
  constructor(
    private readonly properties: Properties,
    @Inject(FILES) private readonly store: FileStore,
    private readonly viruses: VirusCheck,
    private readonly caller: Caller,
  ) {}

  /** Keeps bytes until they are discarded. @throws UPL-0005 when they are more than a mail may have */
  async keepFile(
    user: UserPrincipal,
    content: AsyncIterable<Uint8Array>,
    { name, type }: Pick<OutgoingFile, 'name' | 'type'>,
  ): Promise<OutgoingFile> {
    const maxBytes = await this.properties.get(MAX_MAIL_SIZE, user);
    const { reference, sizeBytes } = await this.store.write(content, { maxBytes, contextId: user.contextId });
    return { name, type, reference, sizeBytes };
  }

  /** Uploaded files as those of a mail. */
  fromUploads(files: readonly UploadedFile[]): OutgoingFile[] {
    return files.map(({ name, contentType, reference, sizeBytes }) => ({
      name: name || 'file',
      type: contentType,
      reference,
      sizeBytes,
    }));
  }

  /** The body of a call; a long one comes as a file. @throws SVL-0031 */
  async readBody<T extends object>(
    model: Model<T>,
    { body, files }: { readonly body: T | undefined; readonly files: readonly UploadedFile[] },
  ): Promise<T> {
    return body ?? parseFormJson(model, await this.readField({ files }, LONG_BODY_FIELD), LONG_BODY_FIELD);
  }

  /** A field of a form; a long one comes as a file. Undefined without it. */
  async readField(
    {
      body,
      files,
    }: { readonly body?: Readonly<Record<string, string>> | undefined; readonly files: readonly UploadedFile[] },
    name: string,
  ): Promise<string | undefined> {
    const long = files.find(({ field }) => field === name);
    return long ? text(this.openFile(long)) : body?.[name];
  }

  /** Finds a managed file of the user, which goes by itself: what is to stay is copied. @throws UPL-0010 */
  async findManagedFile(user: UserPrincipal, id: string): Promise<OutgoingFile> {
    const principal = { kind: 'internal', service: 'mail', contextId: user.contextId, user } as const;
    const found = await this.caller.call(managedFileContents.find, { principal, query: { id } });
    const { name, contentType: type, reference, sizeBytes } = found;
    return { name, type, reference, sizeBytes };
  }

  /** Reads the bytes of a file. */
  openFile({ reference }: Pick<OutgoingFile, 'reference'>): AsyncIterable<Uint8Array> {
    return this.store.read(reference);
  }

  /** Files as the composer takes them. */
  toComposed(files: readonly OutgoingFile[]): ComposedFile[] {
    return files.map((file) => ({
      filename: file.name,
      type: file.type,
      open: () => Readable.from(this.openFile(file), { objectMode: false }),
      ...(file.cid === undefined ? {} : { cid: file.cid }),
    }));
  }

  /** Removes unclaimed files. */
  async discardFiles(files: readonly Pick<OutgoingFile, 'reference'>[]): Promise<void> {
    // Files that stay go with the sweep of the store.
    await Promise.allSettled(files.map(({ reference }) => this.store.discard(reference)));
  }

  /** Requires clean files, as the operator wants it. @throws ANTIVIRUS-0001, ANTIVIRUS-0002, ANTIVIRUS-0003 */
  async requireClean(tenant: Tenant, files: readonly OutgoingFile[]): Promise<void> {
    const policy = await this.properties.get(SCAN_SENT_FILES, { contextId: tenant.contextId });
    if (policy === 'off') return;
    for (const file of files)
      try {
        await this.viruses.requireClean({
          filename: file.name,
          open: () => Readable.from(this.openFile(file)),
        });
      } catch (error) {
        const notScanned = error instanceof CatalogueError && !error.is(VirusErrors.found);
        if (policy === 'required' || !notScanned) throw error;
      }
  }
}
