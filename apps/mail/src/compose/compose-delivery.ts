import {
  CatalogueError,
  ComposeErrors,
  MailErrors,
  type ComposeMeta,
  type ComposeSendQuery,
  type ComposeSpace,
  type ComposeSpaceQuery,
  type UserPrincipal,
  type UserRequest,
} from '@groupware/contracts';
import { readRecipients } from '@groupware/mail-content';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Logger, Periodic } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { MailPreferences } from '../accounts/mail-preferences';
import { toMailPath } from '../domain/mail-path';
import { DraftSaving } from '../sending/draft-saving';
import { toSendingError, type SendingEffects, type WrittenMail } from '../sending/mail-sending';
import type { OutgoingFile } from '../sending/outgoing-files';
import { Senders } from '../sending/senders';
import { toDraftHeaders, toOriginalPlace } from './compose-draft-headers';
import { ComposeSettings } from './compose-settings';
import { ComposeSpaces, lacksPassword, requireClaim, toKey, toView, toWireId } from './compose-spaces';
import { ComposeRepository, type AttachmentRow, type SpaceKey } from './compose.repository';
import { ComposePasswords } from './compose-passwords';
import { LinkedMails } from './linked-mails';
import type { SharingRequest } from './shared-files';

const log = Logger.for('mail');
/** Time between two attempts to close spaces that could not be closed, ms: well below the time for which they stay busy. */
const CLOSING_MS = 500;
/** So often a process that sends a mail makes itself heard while the space stays busy without. */
const BEATS = 3;
const PRIORITIES = { high: 1, normal: 3, low: 5 } as const;

/** Outcome of the delivery of a mail. */
export interface Delivered {
  /** Path of the copy, or of the draft; absent without one. */
  readonly path?: string;
  readonly warnings: readonly CatalogueError[];
}

/** A space whose mail is sent or saved. */
interface TakenSpace {
  readonly view: ComposeSpace;
  readonly files: readonly AttachmentRow[];
  /** The link to the files is to have a password that is lost. */
  readonly lacksPassword: boolean;
}

/** Sends and saves mails of spaces, each of them once. */
@Injectable()
export class ComposeDelivery {
  /** Spaces whose mails were sent or saved while the database did not take that they are closed. */
  private readonly unclosed = new Map<string, { readonly user: UserPrincipal; readonly key: SpaceKey }>();
  private readonly closing = new Periodic(
    () => this.closeLeft(),
    (error) => log.warn({ cause: String(error) }, 'spaces of sent mails stay'),
  );

  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: ComposeRepository,
    private readonly spaces: ComposeSpaces,
    private readonly senders: Senders,
    private readonly drafts: DraftSaving,
    private readonly linked: LinkedMails,
    private readonly passwords: ComposePasswords,
    private readonly clock: Clock,
    private readonly settings: ComposeSettings,
    private readonly preferences: MailPreferences,
  ) {}

  /** Begins to close spaces that could not be closed before. */
  start(): void {
    this.closing.start(CLOSING_MS);
  }

  /** Ends after the round under way. */
  stop(): Promise<void> {
    return this.closing.stop();
  }

  /**
   * Sends the mail of a space and closes it.
   * @throws MSGCS-0007, MSGCS-0010 while it is sent and when another window has it, MSG-9001 once when a process went away that sent it, what sending throws, and MSGCS-0013 for a link whose password is lost
   */
  sendSpace(
    request: SharingRequest,
    query: Pick<ComposeSendQuery, 'id' | 'clientToken' | 'copy2Sent' | 'lineWrapAfter'>,
  ): Promise<Delivered> {
    return this.takeSpace(request.principal, query, async (taken) => {
      const { security, sharedAttachments, meta } = taken.view;
      if (security.encrypt || security.sign) throw MailErrors.notPermitted('there is no key to encrypt or sign with');
      // Otherwise the link would open to anybody.
      if (taken.lacksPassword) throw ComposeErrors.passwordLost(query.id);
      const wrapAt = await this.preferences.wrapsAfter(request, taken.view.contentType, query.lineWrapAfter);
      const mail = await this.toMail(request, taken, { wrapAt });
      const effects = toEffects(meta, query.copy2Sent ?? (await this.preferences.keepsCopies(request)));
      const { copy, warnings } = await this.linked.sendMail(request, mail, sharedAttachments, effects);
      return { ...(copy ? { path: toMailPath(copy) } : {}), warnings };
    });
  }

  /** Saves the mail of a space as a draft and closes it. @throws as {@link sendSpace} */
  saveSpace(request: UserRequest, query: ComposeSpaceQuery): Promise<Delivered> {
    return this.takeSpace(request.principal, query, async (taken) => {
      const { editFor } = taken.view.meta;
      const seal = this.passwords.sealOf(request.principal);
      const written = await this.toMail(request, taken, { isDraft: true });
      const mail = { ...written, draftHeaders: toDraftHeaders(taken.view, seal, taken.lacksPassword) };
      return {
        path: await this.drafts.saveDraft(request, mail, editFor && toOriginalPlace(editFor)),
        warnings: [],
      };
    });
  }

  /** Keeps others from the space meanwhile; it goes when the work is done, and is free again when it fails. */
  private async takeSpace<T>(
    user: UserPrincipal,
    query: ComposeSpaceQuery,
    work: (taken: TakenSpace) => Promise<T>,
  ): Promise<T> {
    const key = toKey(user, query);
    const { busyMs } = this.settings;
    const wasLost = await this.database.transact(user, async (tx) => {
      const found = await this.rows.lock(tx, key);
      if (!found || this.unclosed.has(key.id)) throw ComposeErrors.notFound(query.id);
      const now = this.clock.now();
      if (found.busyUntil !== null && found.busyUntil >= now) throw ComposeErrors.concurrentUpdate(query.id);
      requireClaim(found, query);
      const isLost = found.busyUntil !== null;
      await this.rows.setBusy(tx, key, isLost ? null : now + busyMs);
      return isLost;
    });
    // The process that sent it went away in the middle: the fate of the mail is unknown. Asked once more, it is sent.
    if (wasLost) throw MailErrors.sendUnknown('of this account');
    let beating = Promise.resolve();
    const beat = setInterval(() => {
      beating = this.setBusy(user, key, this.clock.now() + busyMs);
    }, busyMs / BEATS);
    let done: T;
    try {
      const { space, files } = await this.spaces.loadSpace(user, query);
      done = await work({ view: toView(space, files), files, lacksPassword: lacksPassword(space) });
    } catch (error) {
      clearInterval(beat);
      // One that is under way must not come last.
      await beating;
      await this.setBusy(user, key, null);
      throw toSendingError(error);
    }
    clearInterval(beat);
    await this.closeSpace(user, key);
    return done;
  }

  /** Never fails: what was done is done, whatever becomes of the space; told otherwise, a client would send once more. */
  private async closeSpace(user: UserPrincipal, key: SpaceKey): Promise<void> {
    try {
      await this.database.transact(user, (tx) => this.rows.delete(tx, key, this.clock.now()));
      this.unclosed.delete(key.id);
    } catch (error) {
      log.warn({ context: user.contextId, user: user.userId, cause: String(error) }, 'a space of a sent mail stays');
      this.unclosed.set(key.id, { user, key });
    }
  }

  /** Closes spaces that could not be closed before. */
  private async closeLeft(): Promise<void> {
    for (const { user, key } of [...this.unclosed.values()]) await this.closeSpace(user, key);
  }

  /** Never fails: a space that stays busy is free again after a while. */
  private async setBusy(user: UserPrincipal, key: SpaceKey, until: number | null): Promise<void> {
    try {
      await this.database.transact(user, (tx) => this.rows.setBusy(tx, key, until));
    } catch {
      // The database is away.
    }
  }

  private async toMail(
    request: UserRequest,
    { view, files }: TakenSpace,
    { wrapAt, isDraft = false }: { readonly wrapAt?: number | undefined; readonly isDraft?: boolean },
  ): Promise<WrittenMail> {
    const { type: kind, replyFor, forwardsFor = [], editFor } = view.meta;
    const from = view.from && readRecipients('from', [view.from], isDraft)[0];
    const sender = await this.senders[isDraft ? 'resolveDraftSender' : 'resolveSender'](
      request,
      from,
      replyFor && toOriginalPlace(replyFor),
    );
    const type = view.contentType === 'text/plain' ? 'text/plain' : 'text/html';
    const isShown = ({ id, cid }: AttachmentRow) =>
      type === 'text/html' &&
      cid !== null &&
      [toWireId(id), cid, encodeURIComponent(cid)].some((name) => view.content.includes(name));
    const inline = files.filter(isShown);
    const thread = replyFor ?? (kind !== 'FORWARD_ATTACHMENT' && forwardsFor.length === 1 ? forwardsFor[0] : undefined);
    const replyTo = readRecipients('reply_to', view.reply_to, isDraft);
    return {
      sender,
      to: readRecipients('to', view.to, isDraft),
      cc: readRecipients('cc', view.cc, isDraft),
      bcc: readRecipients('bcc', view.bcc, isDraft),
      ...(replyTo.length > 0 ? { replyTo } : {}),
      subject: view.subject,
      body: { type, content: view.content },
      files: files.filter((file) => !isShown(file)).map((file) => toOutgoing(file)),
      inlineFiles: new Map(inline.map((file) => [toWireId(file.id), toOutgoing(file, file.cid)])),
      priority: PRIORITIES[view.priority],
      wantsReceipt: view.requestReadReceipt,
      ...(wrapAt ? { wrapAt } : {}),
      ...(thread ? { threadOf: toOriginalPlace(thread) } : {}),
      ...(editFor ? { draft: toOriginalPlace(editFor) } : {}),
    };
  }
}

function toEffects({ replyFor, forwardsFor = [], editFor }: ComposeMeta, copyToSent: boolean): SendingEffects {
  return {
    copyToSent,
    flagged: [
      ...(replyFor ? [{ place: toOriginalPlace(replyFor), flag: '\\Answered' as const }] : []),
      ...forwardsFor.map((each) => ({ place: toOriginalPlace(each), flag: '$Forwarded' as const })),
    ],
    ...(editFor ? { draft: toOriginalPlace(editFor) } : {}),
  };
}

const toOutgoing = (
  { name, contentType, reference, sizeBytes }: AttachmentRow,
  cid: string | null = null,
): OutgoingFile => ({ name, type: contentType, reference, sizeBytes, ...(cid === null ? {} : { cid }) });
