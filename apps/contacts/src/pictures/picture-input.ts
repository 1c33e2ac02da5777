import { Inject, Injectable } from '@nestjs/common';
import {
  CatalogueError,
  ContactData,
  ContactErrors,
  MAX_CONTACT_IMAGE,
  parseFormJson,
  RequestErrors,
  type UploadedFile,
  USER_IMAGE_TYPES,
} from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { PictureRefusal, Pictures, type Picture } from '@groupware/pictures';
import { Properties } from '@groupware/service-kit';

/** Sides beyond which a picture is scaled before it is stored. */
const STORED = { width: 600, height: 800 } as const;
/** A picture within JSON. */
const DATA_URL = /^data:[\w.+-]+\/[\w.+-]+;base64,([A-Za-z0-9+/]+={0,2})$/;

/** A contact with what becomes of its picture: null removes it, undefined leaves it. */
export interface ContactForm {
  readonly body: ContactData;
  readonly picture: Picture | null | undefined;
}

/** Reads pictures out of requests. */
@Injectable()
export class PictureInput {
  constructor(
    private readonly properties: Properties,
    private readonly pictures: Pictures,
    @Inject(FILES) private readonly files: FileStore,
  ) {}

  /** The picture of a body: a data URL, or nothing to remove it. Other texts are paths that answers hold. @throws CON-0101, CON-0172 */
  async fromBody({ image1 }: ContactData): Promise<Picture | null | undefined> {
    if (image1 === undefined) return undefined;
    if (image1 === null || image1 === '') return null;
    const data = typeof image1 === 'string' ? DATA_URL.exec(image1)?.[1] : undefined;
    if (data === undefined) return undefined;
    this.requireSize(Math.floor((data.length * 3) / 4));
    return this.accept(Buffer.from(data, 'base64'), ContactErrors.imageNotAccepted);
  }

  /** The picture of a file that is imported. @throws CON-0101, CON-0172 */
  async fromBytes(bytes: Uint8Array): Promise<Picture> {
    this.requireSize(bytes.length);
    return this.accept(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), ContactErrors.imageNotAccepted);
  }

  /** The contact and the picture of a form, whose file the edge removes. @throws SVL-0003, SVL-0022, SVL-0028, SVL-0029, SVL-0031, CON-0172 */
  async fromForm(json: string | undefined, [file]: readonly UploadedFile[]): Promise<ContactForm> {
    if (!file) throw RequestErrors.imageMissing();
    const body = parseFormJson(ContactData, json ?? '{}', 'json');
    this.requireSize(file.sizeBytes);
    const parts: Uint8Array[] = [];
    for await (const part of this.files.read(file.reference)) parts.push(part);
    const toRefusal = (): CatalogueError => RequestErrors.noImage(file.name, file.contentType);
    return { body, picture: await this.accept(Buffer.concat(parts), toRefusal) };
  }

  /** @param toRefusal makes an error of the reason why the bytes are no picture */
  private async accept(bytes: Buffer, toRefusal: (reason: string) => CatalogueError): Promise<Picture> {
    try {
      return await this.pictures.accept(bytes, { types: USER_IMAGE_TYPES, ...STORED });
    } catch (error) {
      if (error instanceof PictureRefusal) throw toRefusal(error.message);
      throw error;
    }
  }

  private requireSize(bytes: number): void {
    const most = this.properties.serverValue(MAX_CONTACT_IMAGE);
    if (bytes > most) throw ContactErrors.imageTooLarge(bytes, most);
  }
}
