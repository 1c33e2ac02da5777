import { Inject, Injectable } from '@nestjs/common';
import { MAX_USER_IMAGE, ProvisioningErrors, type UploadedFile, type UserImageUpload } from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { Properties } from '@groupware/service-kit';
import { validateImage, type AcceptedImage } from '../domain/user-image';

/** Base64 without blanks, padded or not. */
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Accepts pictures of users: base64 in JSON, or a file of a form. */
@Injectable()
export class UserImages {
  constructor(
    private readonly properties: Properties,
    @Inject(FILES) private readonly files: FileStore,
  ) {}

  /**
   * Decodes the picture of a request: null removes the stored one, undefined leaves it.
   * @throws PROV-0019, CON-0172, CON-0101
   */
  async fromBase64(upload: UserImageUpload | null | undefined): Promise<AcceptedImage | null | undefined> {
    if (!upload) return upload;
    if (!BASE64.test(upload.data)) throw ProvisioningErrors.invalidField('image.data', 'not base64');
    return validateImage(Buffer.from(upload.data, 'base64'), upload.contentType, this.maxBytes);
  }

  /** The picture in an uploaded file, which the edge removes. @throws CON-0172, CON-0101 */
  async fromFile({ reference, sizeBytes }: UploadedFile): Promise<AcceptedImage> {
    const parts: Uint8Array[] = [];
    // Bounds memory also where the gateway's upload limit is higher.
    const last = Math.min(sizeBytes, this.maxBytes + 1) - 1;
    if (last >= 0) for await (const part of this.files.read(reference, { start: 0, end: last })) parts.push(part);
    return validateImage(Buffer.concat(parts), undefined, this.maxBytes);
  }

  private get maxBytes(): number {
    return this.properties.serverValue(MAX_USER_IMAGE);
  }
}
