import {
  CatalogueError,
  guests,
  outgoingMail,
  OutgoingMailErrors,
  shareAddress,
  type EdgeRequest,
  type MailOutcome,
  type SharedKind,
  type SharePlace,
  type UserPrincipal,
} from '@groupware/contracts';
import type { Caller } from '@groupware/messaging';

/** Title and kind of a share, as mails name it. */
export interface NamedShare {
  readonly title: string;
  readonly shared: SharedKind | undefined;
}

/** A share that guests are told about by mail. */
export interface GuestInvitation {
  readonly user: UserPrincipal;
  readonly edge: EdgeRequest;
  /** First base path of the server. */
  readonly basePath: string;
  readonly place: SharePlace;
  /** Unique for the request: with the same key an address gets one mail. */
  readonly key: string;
  readonly message?: string | undefined;
  readonly getShare: () => Promise<NamedShare>;
}

/**
 * Invites the guests among entities, each with the address of the share; links have no mail address. Answers warnings about those
 * who do not get it: the rights stay.
 */
export async function inviteGuests(
  caller: Caller,
  options: Omit<Parameters<Caller['call']>[1], 'query' | 'body'>,
  entities: readonly number[],
  { user, edge, basePath, place, key, message, getShare }: GuestInvitation,
): Promise<CatalogueError[]> {
  try {
    const invited = await caller.call(guests.tokens, { ...options, query: { ids: [...entities] } });
    const named = invited.flatMap(({ email, ...guest }) => (email === null ? [] : [{ ...guest, email }]));
    if (named.length === 0) return [];
    const { title: folder, shared } = await getShare();
    const warnings: CatalogueError[] = [];
    for (const { email, token, displayName } of named) {
      const outcomes = await caller.call(outgoingMail.send, {
        ...options,
        query: {
          key: `invitation ${key}`,
          template: 'guestInvitation',
          values: {
            sender: user.displayName || user.login,
            folder,
            ...(shared && { shared }),
            url: shareAddress(edge, basePath, token, place),
            ...(message ? { message } : {}),
          },
          recipients: [{ address: email, name: displayName, locale: user.locale }],
          replyTo: user.email,
        },
      });
      warnings.push(...toMailWarnings(outcomes));
    }
    return warnings;
  } catch (error) {
    if (error instanceof CatalogueError) return [error];
    throw error;
  }
}

/** Warnings about recipients who do not get a mail. */
export function toMailWarnings(outcomes: readonly MailOutcome[]): CatalogueError[] {
  return outcomes.flatMap(({ address, state }) => {
    if (state === 'notConfigured') return [OutgoingMailErrors.notConfigured(address)];
    return state === 'refused' ? [OutgoingMailErrors.refused(address)] : [];
  });
}
