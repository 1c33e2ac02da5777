import { MailErrors } from '@groupware/contracts';
import {
  findUnquotedName,
  fromBodyStructure,
  openEncodedMessages,
  type MessagePart,
  type PartSource,
} from '@groupware/mail-content';
import type { ImapSession } from '@groupware/mail-access';
import type { FetchMessageObject, FetchQueryObject } from 'imapflow';
import { toMailFolderId, type MailFolder } from '../domain/mail-folder';

/** The first bytes of a part are asked for in a small block, so that they come soon. */
export const FIRST_BLOCK_BYTES = 64 * 1024;
/** So much of a part is asked for at once, bytes: a file of any size needs no more memory. */
const BLOCK_BYTES = 1024 * 1024;

/** Parts of one mail whose names are looked at in their headers. */
const MAX_NAMES = 20;

/** A range of bytes. */
interface Block {
  readonly start: number;
  readonly maxLength: number;
}

/** Fetches data of the mail. @throws MSG-0032 when it is gone */
export type MessageFetch = (query: FetchQueryObject) => Promise<FetchMessageObject>;

/** Fetches data of a mail of the selected mailbox. */
export const fetchFrom =
  (session: ImapSession, uid: number, folder: MailFolder): MessageFetch =>
  async (query) => {
    const [found] = await session.fetch([uid], query);
    // A file that ends too early must not look like a whole one.
    if (!found) throw MailErrors.notFound(String(uid), toMailFolderId(folder));
    return found;
  };

/** The parts of a mail on a server, fetched one by one. The message holds its structure and its header. */
export class ImapPartSource implements PartSource {
  readonly structure;
  private readonly header: Buffer;
  private readonly firstBlock: Buffer | undefined;
  /** The only part of the mail is empty: its boundary may be nowhere, and the text in no part. */
  private readonly mayBeTorn: boolean;

  constructor(
    message: FetchMessageObject,
    private readonly fetch: MessageFetch,
    /** Part whose first block the message holds. */
    private readonly begun?: string,
  ) {
    this.firstBlock = begun === undefined ? undefined : message.bodyParts?.get(begun.toLowerCase());
    this.header = message.headers ?? Buffer.alloc(0);
    this.structure = fromBodyStructure(message.bodyStructure ?? { type: 'text/plain' });
    const [only, ...others] = this.structure.children;
    this.mayBeTorn = this.structure.id === '' && others.length === 0 && (only?.size ?? 0) === 0;
  }

  async fetchHeader(id = ''): Promise<Buffer> {
    if (id === '') return this.header;
    const key = `${id}.header`;
    const found = await this.fetch({ bodyParts: [key] });
    return found.bodyParts?.get(key) ?? Buffer.alloc(0);
  }

  /** Headers of parts, as they stand. */
  async fetchMimeHeaders(ids: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
    if (this.structure.id === '1') return new Map(ids.map((id) => [id, this.header]));
    const { bodyParts } = await this.fetch({ bodyParts: ids.map((id) => `${id}.mime`) });
    return new Map(ids.map((id) => [id, bodyParts?.get(`${id}.mime`) ?? Buffer.alloc(0)]));
  }

  async *fetchPart(id: string, maxBytes = Infinity, start = 0): AsyncGenerator<Buffer> {
    if (this.mayBeTorn && id === '1') return yield* this.fetchTornText(maxBytes, start);
    yield* readBlocks(maxBytes, start, async (block) => {
      if (block.start === 0 && id === this.begun && this.firstBlock)
        return this.firstBlock.subarray(0, block.maxLength);
      return (await this.fetch({ bodyParts: [{ key: id, ...block }] })).bodyParts?.get(id.toLowerCase());
    });
  }

  /** Text of a mail of parts without any, as it is; nothing where its parts are just empty. */
  private async *fetchTornText(maxBytes: number, start: number): AsyncGenerator<Buffer> {
    // The boundary is looked for at the beginning, whatever is wanted: all ranges are of the same text.
    const head = await this.fetchText({ start: 0, maxLength: BLOCK_BYTES });
    const { boundary } = this.structure.parameters;
    if (boundary !== undefined && head.includes(`--${boundary}`)) return;
    yield* readBlocks(maxBytes, start, async (block) => {
      const end = block.start + block.maxLength;
      const isKnown = end <= head.length || head.length < BLOCK_BYTES;
      return isKnown ? head.subarray(block.start, end) : this.fetchText(block);
    });
  }

  private async fetchText(block: Block): Promise<Buffer> {
    const { bodyParts } = await this.fetch({ bodyParts: [{ key: 'TEXT', ...block }] });
    return bodyParts?.get('text') ?? Buffer.alloc(0);
  }
}

/** The parts of a mail, with what its server does not tell of them: whole names, and mails within it that are encoded. */
export const openParts = async (source: ImapPartSource): Promise<PartSource> =>
  openEncodedMessages(await completeNames(source));

/** Servers read a name that should be quoted up to its first space: it lacks the extension then. */
async function completeNames(source: ImapPartSource): Promise<PartSource> {
  const cut = listParts(source.structure)
    .filter(({ filename }) => filename !== undefined && !/[\s.]|^=\?/.test(filename))
    .slice(0, MAX_NAMES);
  if (cut.length === 0) return source;
  const headers = await source.fetchMimeHeaders(cut.map(({ id }) => id));
  const names = new Map(
    cut.map((part) => [part, findUnquotedName(headers.get(part.id) ?? Buffer.alloc(0), part.filename ?? '')]),
  );
  const complete = (part: MessagePart): MessagePart => ({
    ...part,
    ...(names.get(part) === undefined ? {} : { filename: names.get(part)! }),
    children: part.children.map(complete),
  });
  return {
    structure: complete(source.structure),
    fetchHeader: (id) => source.fetchHeader(id),
    fetchPart: (id, maxBytes, start) => source.fetchPart(id, maxBytes, start),
  };
}

const listParts = (part: MessagePart): MessagePart[] => [part, ...part.children.flatMap(listParts)];

/** The source of a whole mail, block by block. */
export const readSource = (fetch: MessageFetch): AsyncGenerator<Buffer> =>
  readBlocks(Infinity, 0, async (block) => (await fetch({ source: block })).source);

async function* readBlocks(
  maxBytes: number,
  start: number,
  readBlock: (block: Block) => Promise<Buffer | undefined>,
): AsyncGenerator<Buffer> {
  let blockBytes = FIRST_BLOCK_BYTES;
  for (let at = start; at < start + maxBytes; blockBytes = BLOCK_BYTES) {
    const maxLength = Math.min(blockBytes, start + maxBytes - at);
    const block = await readBlock({ start: at, maxLength });
    if (!block || block.length === 0) return;
    yield block;
    if (block.length < maxLength) return;
    at += block.length;
  }
}
