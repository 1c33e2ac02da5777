import { randomUUID } from 'node:crypto';
import {
  CatalogueError,
  isCatalogueError,
  ComposeErrors,
  MailErrors,
  MAX_FORWARDS,
  type ComposeOriginal,
  type ComposeType,
  type ComposeUpdate,
  type MailAddress,
  type UserRequest,
} from '@groupware/contracts';
import {
  createForward,
  createReply,
  createReplyToAll,
  findOwnRecipient,
  normalizeAddress,
  type PreparedMail,
  type ReplyOptions,
} from '@groupware/mail-content';
import { BasePathSettings, Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { toFileName } from '../domain/file-name';
import { toMailFolderId } from '../domain/mail-folder';
import { toPlace, type MailPlace } from '../domain/mail-path';
import { localeOf, OriginalMails, type ReadOriginal, type WantedPart } from '../sending/original-mails';
import { OutgoingFiles } from '../sending/outgoing-files';
import { FolderOwners } from '../sending/folder-owners';
import { Senders } from '../sending/senders';
import { readDraftHeaders, toOriginal, type DraftState } from './compose-draft-headers';
import { MAX_SUBJECT } from './compose-fields';
import type { NewAttachment } from './compose-files';
import { ComposePasswords } from './compose-passwords';
import { MailPreferences } from '../accounts/mail-preferences';
import { toWireId, type StoredMeta } from './compose-spaces';

/** Kinds of spaces that begin with another mail. */
export type OriginalType = Exclude<ComposeType, 'NEW' | 'FORWARD_ATTACHMENT'>;

/** Fields and files that a space begins with. */
export interface PreparedSpace {
  readonly meta: StoredMeta;
  readonly contentType: string;
  readonly update: ComposeUpdate;
  /** Bytes in the file store, unclaimed. */
  readonly files: readonly NewAttachment[];
  /** Files that could not be taken over. */
  readonly warnings: readonly CatalogueError[];
}

/** How a space is prepared. */
export interface PreparationOptions {
  /** Space that the mail is for: pictures of its text are addressed by it. */
  readonly spaceId: string;
  /** Wanted form of the text; default: as the original has it. */
  readonly contentType?: 'text/plain' | 'text/html';
  /** An answer has the files of the original, too. */
  readonly originalAttachments?: boolean;
}

/** A part of the original as a file of the space. */
interface TakenPart extends WantedPart {
  readonly name?: string;
  readonly id?: string;
  readonly shownCid?: string;
}

/** Prepares spaces by the mails that they answer, forward or go on with. */
@Injectable()
export class ComposeOriginals {
  private readonly basePath: string;

  constructor(
    private readonly originals: OriginalMails,
    private readonly senders: Senders,
    private readonly owners: FolderOwners,
    private readonly files: OutgoingFiles,
    private readonly properties: Properties,
    private readonly preferences: MailPreferences,
    private readonly passwords: ComposePasswords,
    base: BasePathSettings,
  ) {
    this.basePath = base.basePaths()[0] ?? '';
  }

  /** @throws MSG-0032, MSG-0047, MSG-0080, MSGCS-0014, UPL-0005 */
  async prepareSpace(
    request: UserRequest,
    type: OriginalType,
    places: readonly [MailPlace, ...MailPlace[]],
    options: PreparationOptions,
  ): Promise<PreparedSpace> {
    const [place] = places;
    if (type === 'FORWARD_INLINE') {
      const most = await this.properties.get(MAX_FORWARDS, request.principal);
      if (places.length > most) throw MailErrors.tooManyForwards(most);
      const isWhole = places.length > 1 || (await this.preferences.forwardsWhole(request));
      if (isWhole) return this.prepareWhole(request, places, options);
    } else if (places.length > 1) throw MailErrors.severalReplies();
    const isAnswer = type === 'REPLY' || type === 'REPLY_ALL';
    const isBlank = isAnswer && (await this.preferences.repliesWithoutText(request));
    // Answers and mails passed on quote the original; a mail that is written on stays as it is.
    const embedded = isAnswer || type === 'FORWARD_INLINE';
    const read = await this.readOriginal(request, place, { ...options, embedded });
    const original = isBlank ? { ...read, body: { ...read.body, content: '' } } : read;
    const seal = this.passwords.sealOf(request.principal);
    const isContinued = original.isDraft && (type === 'EDIT' || type === 'COPY');
    const draft = isContinued ? readDraftHeaders(original.headers, seal) : undefined;
    const fields =
      isAnswer || type === 'FORWARD_INLINE'
        ? await this.prepareAnswer(request, type, original)
        : await this.prepareCopy(request, type, original, draft);
    const takesFiles = !isAnswer || options.originalAttachments === true;
    const taken = await this.takeParts(request, original, options.spaceId, takesFiles);
    const meta = { type, ...toMeta(type, original, draft) };
    const agent = await this.findAgent(request, fields.from as MailAddress | undefined, meta.replyFor);
    return {
      meta: { ...meta, ...(agent ? { agent } : {}) },
      contentType: original.body.type,
      update: { ...fields, content: taken.content },
      files: taken.files,
      warnings: [...taken.warnings, ...(meta.lostPassword ? [ComposeErrors.passwordLost(options.spaceId)] : [])],
    };
  }

  /** Keeps the files of a mail that are no pictures of its text. @throws MSG-0032, UPL-0005 */
  async keepFiles(
    request: UserRequest,
    place: MailPlace,
    spaceId: string,
  ): Promise<Pick<PreparedSpace, 'files' | 'warnings'>> {
    const original = await this.readOriginal(request, place, { spaceId });
    return this.keepParts(request, place, listFiles(original, spaceId));
  }

  private readOriginal(
    request: UserRequest,
    place: MailPlace,
    { spaceId, contentType, embedded = false }: PreparationOptions & { readonly embedded?: boolean },
  ): Promise<ReadOriginal> {
    const view = contentType && (contentType === 'text/plain' ? 'text' : 'html');
    // The id of the space is behind it in no other text, so that pictures of the mail are found by it.
    const cidUrlPrefix = `${this.basePath}/image/mail/compose/image?uid=${spaceId}`;
    const shownAs = { ...(view ? { view } : {}), cidUrlPrefix, embedded };
    return this.originals.readOriginal(request, place, { ...shownAs, requiresText: true });
  }

  /** Mails that are attached whole. The text is new, and of the form that new mails have. */
  private async prepareWhole(
    request: UserRequest,
    places: readonly [MailPlace, ...MailPlace[]],
    { spaceId, contentType: wanted }: PreparationOptions,
  ): Promise<PreparedSpace> {
    const [place] = places;
    const contentType = wanted ?? ((await this.preferences.usesPlainText(request)) ? 'text/plain' : 'text/html');
    const original = places.length === 1 ? await this.readOriginal(request, place, { spaceId }) : undefined;
    const files: NewAttachment[] = [];
    try {
      for (const each of places) {
        const [file] = await this.originals.keepParts(request, each, [{}]);
        files.push({ ...file!, origin: 'MAIL' });
      }
    } catch (error) {
      await this.files.discardFiles(files);
      const isGone = isCatalogueError(error, MailErrors.originalGone);
      throw isGone ? MailErrors.notFound(place.uid, toMailFolderId(place.folder)).with({ cause: error }) : error;
    }
    const forwardsFor = places.map(toOriginal);
    return {
      meta: { type: 'FORWARD_ATTACHMENT', forwardsFor, ...toOriginal(place) },
      contentType,
      update: { subject: original ? toSubject(createForward(original, localeOf(request)).subject) : '' },
      files,
      warnings: [],
    };
  }

  private async prepareAnswer(
    request: UserRequest,
    type: OriginalType,
    original: ReadOriginal,
  ): Promise<ComposeUpdate> {
    const { ownerLogin, place } = original;
    const isAnswer = type === 'REPLY' || type === 'REPLY_ALL';
    const owner = isAnswer ? await this.owners.findAddress(request, place.folder.account, ownerLogin) : undefined;
    const ownAddresses = [...(await this.senders.listAddresses(request)), ...(owner ? [owner[1]] : [])];
    const options: ReplyOptions = {
      ...localeOf(request),
      ownAddresses,
      withoutText: true,
      othersInCc: type === 'REPLY_ALL' && (await this.preferences.repliesInCc(request)),
    };
    const create: Partial<Record<OriginalType, (mail: ReadOriginal, options: ReplyOptions) => PreparedMail>> = {
      REPLY: createReply,
      REPLY_ALL: createReplyToAll,
    };
    const { to, cc, bcc, subject } = (create[type] ?? createForward)(original, options);
    const own = original.isOwn
      ? findOwn(original.headers.getAddresses('from'), ownAddresses)
      : findOwnRecipient(original.headers, ownAddresses);
    const from = owner ? { from: owner } : await this.toSender(request, own);
    return { ...from, to, cc, bcc, subject: toSubject(subject) };
  }

  /** The mail as it is, to be written on. */
  private async prepareCopy(
    request: UserRequest,
    type: OriginalType,
    { mail, headers }: ReadOriginal,
    { security, sharedAttachments }: Partial<DraftState> = {},
  ): Promise<ComposeUpdate> {
    const [author] = mail.from ?? [];
    const isOwn = author && findOwn([author], await this.senders.listAddresses(request));
    const priority = headers.getPriority();
    return {
      ...(author && (isOwn || type !== 'RESEND') ? { from: author } : {}),
      to: mail.to,
      cc: mail.cc,
      bcc: mail.bcc,
      ...(type === 'RESEND' ? {} : { reply_to: headers.getAddresses('reply-to') }),
      subject: toSubject(mail.subject),
      priority: priority < 3 ? 'high' : priority > 3 ? 'low' : 'normal',
      requestReadReceipt: mail.disp_notification_to !== undefined,
      ...(security ? { security } : {}),
      ...(sharedAttachments ? { sharedAttachments } : {}),
    };
  }

  /** An own address, named as its account is. */
  private async toSender(request: UserRequest, own: MailAddress | undefined): Promise<ComposeUpdate> {
    if (!own) return {};
    const { account } = await this.senders.resolveSender(request, own);
    return { from: [account.personal ?? null, own[1]] };
  }

  /** The user as sender of an answer in the name of the owner of a shared folder. */
  private async findAgent(
    request: UserRequest,
    from: MailAddress | undefined,
    answered: ComposeOriginal | undefined,
  ): Promise<StoredMeta['agent']> {
    if (!from || !answered) return undefined;
    try {
      const place = toPlace(answered.originalFolderId, answered.originalId);
      const { agent: sender } = await this.senders.resolveSender(request, from, place);
      return sender && { author: from[1], sender };
    } catch (error) {
      // A user who must not send it is told when it is sent.
      if (error instanceof CatalogueError) return undefined;
      throw error;
    }
  }

  /** Keeps pictures that the text shows, and (`takesFiles`) the files; pictures are addressed by the space. */
  private async takeParts(
    request: UserRequest,
    original: ReadOriginal,
    spaceId: string,
    takesFiles: boolean,
  ): Promise<{ readonly content: string } & Pick<PreparedSpace, 'files' | 'warnings'>> {
    const shown = listShown(original, spaceId);
    const kept = await this.keepParts(request, original.place, [
      ...shown.values(),
      ...(takesFiles ? listFiles(original, spaceId, original.isDraft) : []),
    ]);
    const present = new Set(kept.files.map(({ id }) => id));
    const content = original.body.content.replace(toPicturePattern(spaceId), (_address, cid: string) => {
      const id = shown.get(decodeCid(cid))?.id;
      return `uid=${spaceId}${id !== undefined && present.has(id) ? id : ''}`;
    });
    return { content, ...kept };
  }

  /** Keeps parts; those that cannot be read are left out, with a warning. */
  private async keepParts(
    request: UserRequest,
    place: MailPlace,
    parts: readonly TakenPart[],
  ): Promise<Pick<PreparedSpace, 'files' | 'warnings'>> {
    const files: NewAttachment[] = [];
    const warnings: CatalogueError[] = [];
    try {
      for (const { name, id, shownCid, ...wanted } of parts) {
        const [file] = await this.originals.keepParts(request, place, [wanted]).catch((error: unknown) => {
          if (!isUnreadable(error)) throw error;
          warnings.push(ComposeErrors.attachmentNotFetched(name ?? wanted.part ?? '').with({ cause: error }));
          return [];
        });
        if (!file) continue;
        files.push({
          ...file,
          ...(name ? { name } : {}),
          ...(id ? { id } : {}),
          ...(shownCid === undefined ? {} : { isInline: true, cid: shownCid }),
          origin: 'MAIL',
          source: `${toMailFolderId(place.folder)}/${place.uid}/${wanted.part}`,
        });
      }
      return { files, warnings };
    } catch (error) {
      await this.files.discardFiles(files);
      throw error;
    }
  }
}

function toMeta(
  type: OriginalType,
  { place, headers }: ReadOriginal,
  draft: DraftState | undefined,
): Omit<StoredMeta, 'type'> {
  const original = toOriginal(place);
  const date = headers.getDate();
  const sent = date === undefined ? {} : { date };
  switch (type) {
    case 'REPLY':
    case 'REPLY_ALL':
      return { ...sent, replyFor: original, ...original };
    case 'FORWARD_INLINE':
      return { ...sent, forwardsFor: [original], ...original };
    case 'EDIT':
    case 'COPY':
      return draft ? { ...sent, ...draft.meta, ...(type === 'EDIT' ? { editFor: original, ...original } : {}) } : sent;
    case 'RESEND':
      return sent;
  }
}

/** Pictures that the text shows, by their Content-ID. */
function listShown({ body, files }: ReadOriginal, spaceId: string): Map<string, TakenPart> {
  if (body.type !== 'text/html') return new Map();
  const cids = new Set([...body.content.matchAll(toPicturePattern(spaceId))].map(([, cid]) => decodeCid(cid ?? '')));
  return new Map(
    files.flatMap(({ id, cid }) =>
      cid !== undefined && id !== undefined && cids.has(cid)
        ? [[cid, { part: id, id: toWireId(randomUUID()), shownCid: cid }]]
        : [],
    ),
  );
}

/** Files that are no pictures of the text, and mails within the mail. */
function listFiles(original: ReadOriginal, spaceId: string, withPictures = true): TakenPart[] {
  const shown = listShown(original, spaceId);
  const files = original.files.filter(
    ({ id, cid, disp }) =>
      id !== undefined && (cid === undefined || (!shown.has(cid) && (withPictures || disp !== 'inline'))),
  );
  return [
    ...files.map(({ id, filename }) => ({ part: id, ...(filename ? { name: filename } : {}) })),
    ...original.messages.flatMap(({ id, filename, subject }) => {
      const name = filename ?? (subject ? `${toFileName(subject)}.eml` : undefined);
      return id === undefined ? [] : [{ part: id, ...(name === undefined ? {} : { name }) }];
    }),
  ];
}

/** True for a part that is gone, and for one that the server does not give out. */
const isUnreadable = (error: unknown): boolean =>
  isCatalogueError(error, MailErrors.originalGone, MailErrors.commandFailed);

/** Addresses of pictures with a Content-ID behind the space. */
const toPicturePattern = (spaceId: string): RegExp => new RegExp(`uid=${spaceId}([^"'<>\\s&]*)`, 'g');

function decodeCid(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const findOwn = (addresses: readonly MailAddress[], own: readonly string[]): MailAddress | undefined =>
  addresses.find(([, address]) => own.some((each) => normalizeAddress(each) === normalizeAddress(address)));

const toSubject = (subject: string | undefined): string => (subject ?? '').slice(0, MAX_SUBJECT);
