import type { MailAddress, MailAttachment, MailData, NestedMail } from '@groupware/contracts';
import { isBlankHtml } from '../html/blank-html';
import { appendToMailHtml } from '../html/sanitize-html';
import { decodeCid } from '../html/url';
import { sanitizeOptionsFor } from './sanitize-options';
import { hasAttachments, selectParts, type SelectedParts } from './body-selection';
import { findCalendarMethod, normalizeMethod } from './calendar-method';
import { toEncodedText } from './encoded-text';
import { filenameOf, makeFilename } from './filename';
import { MailHeaders } from './headers';
import { isTnef, listTnefFiles, readTnef, takeUuencoded, type InnerFile } from './inner-files';
import { readPartBegin, type PartBegin } from './part-begin';
import type { MessagePart, PartSource } from './part-source';
import type { ReadOptions } from './read-options';
import type { TnefContent } from './tnef';
import { decodeTransferEncoding, estimateDecodedSize } from './transfer-encoding';
import { MAX_UUENCODED } from './uuencode';
import { escapeHtml, type TextOptions } from '../text/text-to-html';
import type { ContentResult, ContentTask, EncodedText } from '../worker/content-task';
import { ContentError, type ContentFailure, type ContentWorkers } from '../worker/content-workers';

/** Mails within mails shown as objects; those deeper are told by their ids. */
const MAX_NESTING = 10;
/** Mails within one mail whose content is read; of further ones the ids are told. */
const MAX_NESTED = 50;
/** Calendars of one mail whose method is read from their content. */
const MAX_CALENDARS = 20;
/** So much of a text part is shown, bytes, when nothing else was asked for. */
const DEFAULT_MAX_BODY_BYTES = 10 * 1024 * 1024;
const DEFAULT_FAILURE_TEXT = 'This content could not be shown.';

/** A mail as clients show it, and what could not be shown. */
export interface ReadMail {
  mail: MailData;
  /** Why parts of the text are missing. */
  failures: ContentFailure[];
}

/** Reads what a view of a mail shows: its structure, its headers and its text, and no byte of its files. */
export async function readMail(source: PartSource, workers: ContentWorkers, options: ReadOptions): Promise<ReadMail> {
  const reader = new MailReader(source, workers, options);
  const mail = await reader.read();
  return { mail, failures: reader.failures };
}

type FetchedText = EncodedText & PartBegin;

class MailReader {
  readonly failures: ContentFailure[] = [];
  private nested = 0;
  private uuencoded = 0;
  private calendars = 0;
  private hasBlockedImages = false;
  private readonly shownCids = new Set<string>();
  private readonly maxBytes: number;

  constructor(
    private readonly source: PartSource,
    private readonly workers: ContentWorkers,
    private readonly options: ReadOptions,
  ) {
    this.maxBytes = options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES;
  }

  async read(): Promise<MailData> {
    const mail = await this.readMessage(await this.source.fetchHeader(), this.source.structure, 0);
    return { ...mail, modified: this.hasBlockedImages ? 1 : 0 };
  }

  private async readMessage(header: Buffer, structure: MessagePart, depth: number): Promise<MailData> {
    const selected = selectParts(structure, this.options.view === 'noimg' ? 'html' : this.options.view);
    const tnef = await this.readTnefParts(selected);
    const cutOut: InnerFile[] = [];
    const attachments = [
      ...this.appendPictures(await this.readBodies(structure, selected, cutOut), selected.pictures),
      ...selected.alternatives.map((part) => this.toFile(part, 'alternative')),
    ];
    if (attachments.length === 0) attachments.push(...(await this.readTnefBody(tnef)));
    attachments.push(...cutOut.map(describeInnerFile));
    for (const part of selected.files) {
      const content = tnef.get(part);
      if (content) attachments.push(...listTnefFiles(part, content).map(describeInnerFile));
      else attachments.push(await this.countSize(part, await this.tellMethod(part, this.toFile(part))));
    }
    const nested = await this.readNested(selected.messages, depth);
    return {
      ...describeHeader(new MailHeaders(header), this.options.toLocalTime),
      content_type: structure.type,
      attachment: hasAttachments(structure),
      attachments,
      ...(nested.length > 0 ? { nested_msgs: nested } : {}),
    };
  }

  /** @param cutOut gets the files that stood in the texts */
  private async readBodies(
    structure: MessagePart,
    { bodies }: SelectedParts,
    cutOut: InnerFile[],
  ): Promise<MailAttachment[]> {
    const cids = listCids(structure);
    const entries: MailAttachment[] = [];
    let texts: MessagePart[] = [];
    const endTexts = async () => {
      if (texts.length > 0) entries.push(await this.readText(texts, cutOut));
      texts = [];
    };
    for (const { part, alternative } of bodies) {
      if (part.type === 'text/plain' && this.options.view !== 'raw') texts.push(part);
      else if (part.type === 'text/plain') entries.push(await this.readText([part], cutOut));
      else {
        await endTexts();
        entries.push(await this.readHtml(part, alternative, cids, cutOut));
      }
    }
    await endTexts();
    return entries;
  }

  /** Texts with the pictures that none of them refers to, at their end. */
  private appendPictures(bodies: MailAttachment[], pictures: readonly MessagePart[]): MailAttachment[] {
    const { view, appendsPictures, cidUrlPrefix, isPlainTextRaw } = this.options;
    const last = bodies.at(-1);
    const isHtml = (view === 'html' || view === 'noimg') && !(isPlainTextRaw && last?.content_type === 'text/plain');
    if (!last || !isHtml || !appendsPictures || cidUrlPrefix === undefined || pictures.length === 0) return bodies;
    const html = pictures
      .map((part) => (part.cid === undefined ? makeFilename(part) : decodeCid(part.cid)))
      .filter((name) => !this.shownCids.has(name))
      .map((name) => `<p><img src="${escapeHtml(cidUrlPrefix + encodeURIComponent(name))}" /></p>`);
    return [...bodies.slice(0, -1), { ...last, content: appendToMailHtml(last.content ?? '', html.join('')) }];
  }

  /** Texts that follow each other are shown as one. */
  private async readText(parts: MessagePart[], cutOut: InnerFile[]): Promise<MailAttachment> {
    const [first] = parts;
    const fetched = await Promise.all(parts.map((part) => this.fetchText(part)));
    const texts = fetched.map((text, at) => this.cutFiles(parts[at]!, text, cutOut));
    const isRaw = this.options.view === 'raw' || this.options.isPlainTextRaw === true;
    const result = await this.run(
      isRaw
        ? { kind: 'decodeText', texts, ...this.limit() }
        : { kind: 'textToHtml', texts, options: await this.textOptions(), ...this.limit() },
    );
    const isCut = texts.some(({ isCut }) => isCut);
    return this.toBody(first!, 'text/plain', result, isCut);
  }

  private async readHtml(
    part: MessagePart,
    alternative: MessagePart | undefined,
    cids: readonly string[],
    cutOut: InnerFile[],
  ): Promise<MailAttachment> {
    const { view } = this.options;
    const text = await this.fetchText(part);
    if (view === 'raw')
      return this.toBody(
        part,
        part.type,
        await this.run({ kind: 'decodeText', texts: [text], ...this.limit() }),
        text.isCut,
      );
    if (view === 'text' || view === 'textNoHtmlAttach') return this.showAsText(part, text, text.isCut);
    const result = await this.run({
      kind: 'sanitizeHtml',
      text,
      options: sanitizeOptionsFor(this.options, cids),
      ...this.limit(),
    });
    // An empty HTML part says less than the text beside it; of one that was cut the rest is not known.
    const isWhole = !text.isCut && !result.isTruncated;
    if (alternative && isWhole && isBlankHtml(result.content)) return this.readText([alternative], cutOut);
    this.hasBlockedImages ||= result.hasBlockedImages;
    result.shownCids.forEach((cid) => this.shownCids.add(cid));
    return this.toBody(part, 'text/html', result, text.isCut);
  }

  /** Text with markup as it is shown where no HTML is wanted. */
  private async showAsText(part: MessagePart, text: EncodedText, isCut: boolean): Promise<MailAttachment> {
    const plain = await this.run({ kind: 'htmlToText', text, ...this.limit() });
    if (this.options.isPlainTextRaw) return this.toBody(part, 'text/plain', plain, isCut);
    const bytes = { bytes: Buffer.from(plain.content), charset: 'utf-8' };
    const shown = await this.run({ kind: 'textToHtml', texts: [bytes], options: await this.textOptions() });
    return this.toBody(part, 'text/plain', { ...shown, isTruncated: plain.isTruncated }, isCut);
  }

  /** How plain text is shown as HTML. */
  private async textOptions(): Promise<TextOptions> {
    const { colorQuotes, neutralizeLinks } = this.options;
    const showQuotes = typeof colorQuotes === 'function' ? await colorQuotes() : colorQuotes === true;
    return { showQuotes, neutralizeLinks: neutralizeLinks === true };
  }

  private toBody(part: MessagePart, type: string, result: ContentResult, isCut: boolean): MailAttachment {
    return {
      id: part.id,
      content_type: type,
      size: estimateDecodedSize(part.size, part.encoding),
      disp: 'inline',
      content: result.content,
      truncated: isCut || result.isTruncated,
    };
  }

  private toFile(part: MessagePart, disposition?: string): MailAttachment {
    const isInline = part.disposition === 'inline' || (part.cid !== undefined && part.disposition === undefined);
    const method = normalizeMethod(part.parameters['method']);
    return {
      id: part.id,
      filename: filenameOf(part),
      content_type: method ? `${part.type}; method=${method}` : part.type,
      size: estimateDecodedSize(part.size, part.encoding),
      disp: disposition ?? (isInline ? 'inline' : 'attachment'),
      ...(part.cid === undefined ? {} : { cid: part.cid }),
      content: null,
    };
  }

  /** Clients show by the method what can be done with a calendar: where the header (RFC 6047, section 2.4) lacks it, it is read. */
  private async tellMethod(part: MessagePart, file: MailAttachment): Promise<MailAttachment> {
    if (part.type !== 'text/calendar' || part.parameters['method'] !== undefined) return file;
    if (++this.calendars > MAX_CALENDARS) return file;
    const method = await findCalendarMethod(this.source, part);
    return method ? { ...file, content_type: `${part.type}; method=${method}` } : file;
  }

  /** With exact sizes, the bytes of a file are counted. */
  private async countSize(part: MessagePart, file: MailAttachment): Promise<MailAttachment> {
    if (!this.options.exactSizes || part.encoding === '7bit' || part.encoding === '8bit' || part.encoding === 'binary')
      return file;
    let size = 0;
    for await (const chunk of decodeTransferEncoding(this.source.fetchPart(part.id), part.encoding))
      size += chunk.length;
    return { ...file, size };
  }

  /** The text without the files that stand in it; as it is, with its line breaks, where it shall be shown so. */
  private cutFiles(part: MessagePart, text: FetchedText, cutOut: InnerFile[]): FetchedText {
    if (this.options.view === 'raw') return { ...text, flowed: false };
    const { text: bytes, files } = takeUuencoded(part, text.bytes, MAX_UUENCODED - this.uuencoded);
    this.uuencoded += files.length;
    cutOut.push(...files);
    return { ...text, bytes };
  }

  private async fetchText(part: MessagePart): Promise<FetchedText> {
    const begin = await readPartBegin(this.source, part, this.maxBytes);
    return { ...toEncodedText(part, begin.bytes), ...begin };
  }

  private async run(task: ContentTask): Promise<ContentResult> {
    try {
      return await this.workers.runTask(task);
    } catch (error) {
      if (!(error instanceof ContentError)) throw error;
      this.failures.push(error.reason);
      const content = this.options.failureText ?? DEFAULT_FAILURE_TEXT;
      return { content, isTruncated: true, hasBlockedImages: false, shownCids: [] };
    }
  }

  private limit(): { maxLength?: number } {
    return this.options.maxLength === undefined ? {} : { maxLength: this.options.maxLength };
  }

  private async readTnefParts({ files }: SelectedParts): Promise<Map<MessagePart, TnefContent>> {
    const contents = new Map<MessagePart, TnefContent>();
    for (const part of files.filter(isTnef)) {
      const content = await readTnef(this.source, part);
      if (content && (content.files.length > 0 || findTnefMarkup(content) || content.text)) contents.set(part, content);
    }
    return contents;
  }

  /** The text of a mail that has it in Outlook's own format alone. */
  private async readTnefBody(contents: ReadonlyMap<MessagePart, TnefContent>): Promise<MailAttachment[]> {
    for (const [tnefPart, content] of contents) {
      const { view, neutralizeLinks } = this.options;
      const marked = findTnefMarkup(content);
      const { bytes } = marked ?? { bytes: content.text };
      if (!bytes) continue;
      const part = { ...tnefPart, size: bytes.byteLength, encoding: '8bit' };
      if (marked && (view === 'html' || view === 'noimg')) {
        const options = sanitizeOptionsFor(this.options, []);
        const result = await this.run({ kind: 'sanitizeHtml', text: marked, options, ...this.limit() });
        this.hasBlockedImages ||= result.hasBlockedImages;
        return [this.toBody(part, 'text/html', result, false)];
      }
      if (!content.text) return [await this.showAsText(part, marked!, false)];
      const texts = [{ bytes: content.text }];
      const options = { neutralizeLinks: neutralizeLinks === true };
      const result = await this.run(
        view === 'raw' ? { kind: 'decodeText', texts } : { kind: 'textToHtml', texts, options, ...this.limit() },
      );
      return [this.toBody(part, 'text/plain', result, false)];
    }
    return [];
  }

  private async readNested(parts: readonly MessagePart[], depth: number): Promise<NestedMail[]> {
    const nested: NestedMail[] = [];
    for (const part of parts) {
      const name = part.filename === undefined ? {} : { filename: filenameOf(part) };
      const isShown = this.options.nestedMessages !== false && depth < MAX_NESTING && this.nested < MAX_NESTED;
      this.nested++;
      const content = isShown
        ? await this.readMessage(await this.source.fetchHeader(part.id), part.children[0]!, depth + 1)
        : {};
      nested.push({ ...content, ...name, id: part.id });
    }
    return nested;
  }
}

/** Fields of a mail that its header tells. */
export function describeHeader(headers: MailHeaders, toLocalTime = (instant: number): number => instant): MailData {
  const subject = headers.getText('subject');
  const sent = headers.getDate();
  const receiptTo: MailAddress | undefined = headers.getAddresses('disposition-notification-to')[0];
  return {
    from: headers.getAddresses('from'),
    to: headers.getAddresses('to'),
    cc: headers.getAddresses('cc'),
    bcc: headers.getAddresses('bcc'),
    ...(subject ? { subject } : {}),
    ...(sent === undefined ? {} : { sent_date: toLocalTime(sent) }),
    ...(receiptTo ? { disp_notification_to: receiptTo[1] } : {}),
    priority: headers.getPriority(),
    headers: headers.listOthers(),
  };
}

function describeInnerFile({ id, filename, type, size }: InnerFile): MailAttachment {
  return { id, filename, content_type: type, size, disp: 'attachment', content: null };
}

function listCids(part: MessagePart): string[] {
  const own = part.cid === undefined ? [] : [part.cid];
  return part.type === 'message/rfc822' ? own : [...own, ...part.children.flatMap(listCids)];
}

/** The body of a part in Outlook's own format that has markup. */
const findTnefMarkup = ({ html, compressedRtf }: TnefContent): EncodedText | undefined => {
  if (html) return { bytes: html };
  return compressedRtf && { bytes: compressedRtf, markup: 'compressedRtf' };
};
