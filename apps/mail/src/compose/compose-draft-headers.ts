import type { ComposeMeta, ComposeOriginal, ComposeSharedAttachments, ComposeSpace } from '@groupware/contracts';
import type { MailHeaders } from '@groupware/mail-content';
import { toMailFolderId } from '../domain/mail-folder';
import { toPlace, type MailPlace } from '../domain/mail-path';
import { readOriginalHeaders, SEND_TYPES, toOriginalHeaders } from '../sending/draft-originals';
import { toSecurity, toShared } from './compose-fields';
import type { StoredMeta } from './compose-spaces';
import type { PasswordSeal } from './compose-passwords';

/** Headers of drafts that keep what a mail itself does not tell. They do not leave. */
const META = 'X-Svc-Compose-Meta';
const SECURITY = 'X-Svc-Compose-Security';
const SHARED = 'X-Svc-Compose-Shared-Attachments';
/** Longer ones are left out: the draft is saved all the same. */
const MAX_LENGTH = 1_900;
/** Characters of one line. */
const LINE = /.{1,70}/g;
/** Most mails that a draft forwards. */
const MAX_ORIGINALS = 100;

/** Part of a space that its draft keeps. */
export interface DraftState {
  readonly meta: Pick<StoredMeta, 'date' | 'replyFor' | 'forwardsFor' | 'lostPassword'>;
  readonly security?: ComposeSpace['security'];
  readonly sharedAttachments?: ComposeSpace['sharedAttachments'];
}

/** The place of a mail as spaces tell it. */
export const toOriginal = ({ folder, uid }: MailPlace): ComposeOriginal => ({
  originalId: String(uid),
  originalFolderId: toMailFolderId(folder),
});

/** The mail that a space names. @throws MSG-0067 */
export const toOriginalPlace = ({ originalFolderId, originalId }: ComposeOriginal): MailPlace =>
  toPlace(originalFolderId, originalId);

/**
 * Headers of a draft that keep the state of its space, passwords of links sealed.
 * @param lacksPassword the password of the link is lost, and still to be set
 */
export function toDraftHeaders(
  { meta, security, sharedAttachments }: ComposeSpace,
  { seal }: Pick<PasswordSeal, 'seal'>,
  lacksPassword = false,
): Record<string, string> {
  const { date, replyFor, forwardsFor } = meta;
  const isProtected = security.encrypt || security.sign || security.pgpInline;
  const shared = toSharedState(sharedAttachments, seal, lacksPassword);
  /** Name and state; another one follows for a state that is too long. */
  const states: [string, ...(object | undefined)[]][] = [
    [META, replyFor || forwardsFor ? { date, replyFor, forwardsFor } : undefined],
    [SECURITY, isProtected ? { ...security, pin: null } : undefined],
    // Without `sealed` the password counts as lost.
    [SHARED, shared, shared && { enabled: true }],
  ];
  const headers = states.flatMap(([name, ...kept]) => {
    const values = kept.flatMap((state) => (state ? [encode(state)] : []));
    const value = values.find(({ length }) => length <= MAX_LENGTH);
    return value ? [[name, value] as const] : [];
  });
  return { ...toReference(meta), ...Object.fromEntries(headers) };
}

/** How files go as links, as drafts keep it; undefined where they do not. */
function toSharedState(
  { password, ...shared }: ComposeSharedAttachments,
  seal: PasswordSeal['seal'],
  lacksPassword: boolean,
): object | undefined {
  if (!shared.enabled) return undefined;
  return lacksPassword ? shared : { ...shared, sealed: password ? seal(password) : null };
}

/** Headers that drafts have by which clients go on without a space. */
function toReference({ replyFor, forwardsFor = [] }: ComposeMeta): Record<string, string> {
  const sendtype = replyFor ? SEND_TYPES.reply : SEND_TYPES.forward;
  const originals = replyFor ? [replyFor] : forwardsFor;
  return originals.length === 0 ? {} : toOriginalHeaders({ sendtype, places: originals.map(toOriginalPlace) });
}

/** The state that the headers of a draft keep. What is no state is none: other programs write drafts, too. */
export function readDraftHeaders(headers: MailHeaders, { open }: Pick<PasswordSeal, 'open'>): DraftState {
  const { date, replyFor, forwardsFor } = (decode(headers.getRaw(META)) ?? {}) as Record<string, unknown>;
  const reply = parseOriginal(replyFor);
  const forwards = (Array.isArray(forwardsFor) ? (forwardsFor as unknown[]) : [])
    .slice(0, MAX_ORIGINALS)
    .flatMap((each) => parseOriginal(each) ?? []);
  const security = decode(headers.getRaw(SECURITY));
  const shared = readShared(headers, open);
  return {
    meta: {
      ...(typeof date === 'number' && Number.isSafeInteger(date) ? { date } : {}),
      ...(reply || forwards.length > 0
        ? { ...(reply ? { replyFor: reply } : {}), ...(forwards.length > 0 ? { forwardsFor: forwards } : {}) }
        : readReference(headers)),
      ...(shared?.lostPassword ? { lostPassword: true } : {}),
    },
    ...(security ? { security: toSecurity(security) } : {}),
    ...(shared ? { sharedAttachments: shared.sharedAttachments } : {}),
  };
}

/** How files go as links. A draft of an older version does not tell whether there was a password: it counts as lost then, too. */
function readShared(
  headers: MailHeaders,
  open: PasswordSeal['open'],
): { readonly sharedAttachments: ComposeSharedAttachments; readonly lostPassword: boolean } | undefined {
  const state = decode(headers.getRaw(SHARED)) as Readonly<Record<string, unknown>> | undefined;
  if (!state) return undefined;
  const { sealed, ...shared } = state;
  const password = typeof sealed === 'string' ? open(sealed) : sealed === null ? null : undefined;
  const sharedAttachments = toShared({ ...shared, password });
  return { sharedAttachments, lostPassword: sharedAttachments.enabled && password === undefined };
}

/** Base 64 in words, so that lines can be folded between them. */
const encode = (state: object): string =>
  (Buffer.from(JSON.stringify(state)).toString('base64').match(LINE) ?? []).join(' ');

function decode(value: string): object | undefined {
  if (value === '') return undefined;
  try {
    const state: unknown = JSON.parse(Buffer.from(value.replace(/\s+/g, ''), 'base64').toString());
    return typeof state === 'object' && state !== null ? state : undefined;
  } catch {
    return undefined;
  }
}

/** The mails that a draft answers or forwards that was saved without a space. */
function readReference(headers: MailHeaders): Pick<ComposeMeta, 'replyFor' | 'forwardsFor'> {
  const { sendtype, places = [] } = readOriginalHeaders(headers) ?? {};
  const originals = places.map(toOriginal);
  if (sendtype === SEND_TYPES.forward) return { forwardsFor: originals };
  return originals[0] ? { replyFor: originals[0] } : {};
}

function parseOriginal(value: unknown): ComposeOriginal | undefined {
  const { originalId, originalFolderId } = (value ?? {}) as Record<string, unknown>;
  if (typeof originalId !== 'string' || typeof originalFolderId !== 'string') return undefined;
  try {
    toPlace(originalFolderId, originalId);
    return { originalId, originalFolderId };
  } catch {
    return undefined;
  }
}
