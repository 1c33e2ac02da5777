import { fromBodyStructure, type PartSource } from '@groupware/mail-content';
import type { ImapSession } from '@groupware/mail-access';
import type { FetchMessageObject } from 'imapflow';

/** So much of a part is asked for at once, bytes: a file of any size needs no more memory. */
const BLOCK_BYTES = 1024 * 1024;

/** The parts of a mail on a server, fetched one by one from the selected mailbox. The message holds its structure and its header. */
export class ImapPartSource implements PartSource {
  readonly structure;
  private readonly uid: number;
  private readonly header: Buffer;

  constructor(
    private readonly session: ImapSession,
    message: FetchMessageObject,
  ) {
    this.uid = message.uid;
    this.header = message.headers ?? Buffer.alloc(0);
    this.structure = fromBodyStructure(message.bodyStructure ?? { type: 'text/plain' });
  }

  async fetchHeader(id = ''): Promise<Buffer> {
    if (id === '') return this.header;
    const key = `${id}.header`;
    const [found] = await this.session.fetch([this.uid], { bodyParts: [key] });
    return found?.bodyParts?.get(key) ?? Buffer.alloc(0);
  }

  async *fetchPart(id: string, maxBytes = Infinity): AsyncGenerator<Buffer> {
    for (let start = 0; start < maxBytes;) {
      const maxLength = Math.min(BLOCK_BYTES, maxBytes - start);
      const [found] = await this.session.fetch([this.uid], { bodyParts: [{ key: id, start, maxLength }] });
      const block = found?.bodyParts?.get(id.toLowerCase());
      if (!block || block.length === 0) return;
      yield block;
      if (block.length < maxLength) return;
      start += block.length;
    }
  }
}
