import { Injectable } from '@nestjs/common';
import { FileReply, sharedDocuments } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import type { ResolvedGuest } from './guest-access';

/** Documents that are shared with guests by themselves, as bytes without a session. */
@Injectable()
export class GuestDocuments {
  constructor(private readonly caller: Caller) {}

  /** Gets the file of a document of a guest; undefined when the document has none, or is no longer shared. */
  async findFile(
    { contextId, guest }: ResolvedGuest,
    id: number,
    delivery: 'download' | 'view',
  ): Promise<FileReply | undefined> {
    const principal = { kind: 'internal', service: 'identity', contextId } as const;
    const query = { id, guest: guest.id, delivery };
    const found = await this.caller.call(sharedDocuments.content, { principal, query });
    if (!found) return undefined;
    const { tag, modified, ...file } = found;
    return new FileReply(file, {
      headers: { ETag: `"${tag}"`, 'Last-Modified': new Date(modified).toUTCString() },
    });
  }
}
