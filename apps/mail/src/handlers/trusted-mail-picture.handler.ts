import {
  FileReply,
  ImageErrors,
  TRUSTED_MAIL_PICTURES,
  trustedMailPicture,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { Pictures, toPictureReply } from '@groupware/pictures';
import { Handles, Properties } from '@groupware/service-kit';
import { createHash } from 'node:crypto';
import { fileTypeFromBuffer } from 'file-type';
import { SHOWN_PICTURES } from '../compose/shown-type';
import { findTrustedPicture } from '../domain/trusted-picture';

/** Operators may give a name another picture. */
const CACHE_POLICY = 'private, no-cache';

/** The picture of a sender that the operator trusts. */
@Handles(trustedMailPicture.picture)
export class TrustedMailPictureHandler implements Handler<typeof trustedMailPicture.picture> {
  constructor(
    private readonly properties: Properties,
    private readonly pictures: Pictures,
  ) {}

  async handle({ principal, query }: CallOf<typeof trustedMailPicture.picture>): Promise<FileReply> {
    const bytes = findTrustedPicture(await this.properties.get(TRUSTED_MAIL_PICTURES, principal), query.uid);
    const contentType = bytes && (await fileTypeFromBuffer(bytes))?.mime;
    if (!bytes || !contentType || !SHOWN_PICTURES.has(contentType)) throw ImageErrors.notFound();
    const changed = await this.pictures.transform({ sizeBytes: bytes.length, open: () => [bytes] }, query);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return toPictureReply(changed ?? { contentType, bytes, sha256 }, { cachePolicy: CACHE_POLICY });
  }
}
