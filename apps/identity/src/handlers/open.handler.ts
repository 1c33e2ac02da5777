import {
  displayText,
  reply,
  share,
  SHARE_AGENTS_REFUSED,
  SHARE_REFUSED_AGENTS,
  ShareErrors,
  sharePath,
  type CallOf,
  type EdgeRequest,
  type FileReply,
  type Handler,
  type ShareQuery,
} from '@groupware/contracts';
import { BASIC_CHALLENGE, Handles, Properties } from '@groupware/service-kit';
import { matchesPattern } from '../domain/search-pattern';
import { findPlace, GuestAccess, type ResolvedShare } from '../guests/guest-access';
import { GuestCalendars } from '../guests/guest-calendars';
import { GuestDocuments } from '../guests/guest-documents';
import { redirectTo } from '../authentication/browser-replies';
import { toPlaceNames } from '../authentication/session-opener';
import { LoginFlow } from '../authentication/login-flow';
import { LoginTokens } from '../authentication/login-tokens';
import { resolveLocale, toErrorReply } from '../authentication/error-reply';
import { replyPage } from '../authentication/html-page';

/**
 * Opens a link: resumes or opens a session, redirects to the login page, or answers at once: the bytes of a document, or a calendar to
 * programs that want one.
 */
@Handles(share.open)
export class OpenShareHandler implements Handler<typeof share.open> {
  constructor(
    private readonly access: GuestAccess,
    private readonly flow: LoginFlow,
    private readonly documents: GuestDocuments,
    private readonly calendars: GuestCalendars,
    private readonly tokens: LoginTokens,
    private readonly properties: Properties,
  ) {}

  async handle({ query, edge }: CallOf<typeof share.open>) {
    const [token = '', path] = (query.path ?? '').split('/');
    const shown = this.isRefused(edge!) ? undefined : await this.access.findShare(token);
    if (!shown) return replyNotFound(edge!);
    const target = findPlace(shown, path);
    const delivery = toDelivery(query);
    const { item: document } = target;
    if (delivery && document !== undefined && isReadyToSend(shown))
      return this.send(shown, edge!, (guest) => this.documents.findFile(guest, document, delivery));
    if (!edge!.isHead && isReadyToSend(shown) && this.calendars.isWanted(target, edge!))
      return this.send(shown, edge!, (guest) => this.calendars.findFile(guest, target));
    const { module, folder, item } = toPlaceNames(target);
    const place = { m: module, f: folder, ...(item === undefined ? {} : { i: item }) };
    // Previews of links and checkers of links only ask whether it is there.
    if (edge!.isHead) return redirectTo(this.flow.buildShareAddress(place));
    const resumed = await this.access.resumeSession(shown, edge!);
    if (resumed) return this.flow.redirectToShare(resumed, place);
    const needed = toLoginRequirement(shown);
    if (needed) {
      const facts = { ...needed, share: token, target: sharePath(target) };
      const issued = await this.tokens.shares.issueToken(facts);
      return redirectTo(this.flow.buildShareAddress({ ...facts, ...place, token: issued }));
    }
    return this.flow.redirectToShare(await this.access.openSession(shown, {}, edge!), place);
  }

  /** Whether a program collects pages: links are for people. */
  private isRefused({ userAgent }: EdgeRequest): boolean {
    if (!this.properties.serverValue(SHARE_AGENTS_REFUSED)) return false;
    const patterns = this.properties.serverValue(SHARE_REFUSED_AGENTS).split(',');
    return patterns.some((pattern) => matchesPattern(userAgent, pattern.trim()));
  }

  /** Answers a file without a session. */
  private async send(
    shown: ResolvedShare,
    edge: EdgeRequest,
    findFile: (guest: ResolvedShare) => Promise<FileReply | undefined>,
  ) {
    const guest = await this.access.authenticateOnce(shown, edge);
    if (!guest) return reply<undefined>(undefined, { status: 401, headers: { 'WWW-Authenticate': BASIC_CHALLENGE } });
    const file = await findFile(guest);
    return file ?? replyNotFound(edge);
  }
}

/** Answers that there is no such share: people get a page, programs the error. */
function replyNotFound(edge: EdgeRequest) {
  const { entry, params } = ShareErrors.notFound();
  if (!/\btext\/html\b/i.test(edge.headers.accept ?? ''))
    return toErrorReply<undefined>(ShareErrors.notFound(), edge, [], { status: 404 });
  const locale = resolveLocale(edge);
  return replyPage({ title: displayText(entry, params, locale), locale, body: '' }, { status: 404 });
}

/** How the bytes of a document are wanted; undefined for an ordinary opening. */
function toDelivery({ dl, delivery }: ShareQuery): 'download' | 'view' | undefined {
  if (delivery === 'download' || delivery === 'view') return delivery;
  return dl === '1' || dl === 'true' ? 'download' : undefined;
}

/** A named guest who has no password yet chooses one first. */
const isReadyToSend = ({ guest }: ResolvedShare): boolean => guest.email === null || guest.passwordHash !== null;

/** Input the login page requests from a guest, who chooses a password by `guest_password`; undefined when the link suffices. */
function toLoginRequirement({ guest }: ResolvedShare): { login_type: string; login_name?: string } | undefined {
  if (guest.email !== null)
    return { login_type: guest.passwordHash === null ? 'guest_password' : 'guest', login_name: guest.email };
  return guest.passwordHash === null ? undefined : { login_type: 'anonymous_password' };
}
