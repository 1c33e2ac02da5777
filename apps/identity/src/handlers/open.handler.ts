import { share, ShareErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { findPlace, GuestAccess, type ResolvedShare } from '../guests/guest-access';
import { redirectTo } from '../authentication/browser-replies';
import { LoginFlow } from '../authentication/login-flow';
import { toErrorReply } from '../authentication/error-reply';

/** Opens a link: resumes or opens a session, or redirects to the login page. */
@Handles(share.open)
export class OpenShareHandler implements Handler<typeof share.open> {
  constructor(
    private readonly access: GuestAccess,
    private readonly flow: LoginFlow,
  ) {}

  async handle({ query, edge }: CallOf<typeof share.open>) {
    const [token = '', path] = (query.path ?? '').split('/');
    const shown = await this.access.findShare(token);
    if (!shown) return toErrorReply<undefined>(ShareErrors.notFound(), edge!, [], { status: 404 });
    const wanted = findPlace(shown, path);
    const place = { m: wanted.module, f: String(wanted.folder) };
    // Previews of links and checkers of links only ask whether it is there.
    if (edge!.isHead) return redirectTo(this.flow.buildWebAddress(undefined, place));
    const resumed = await this.access.findSessionOfBrowser(shown, edge!);
    if (resumed) return this.flow.redirectToWebClient(resumed, undefined, place);
    const needed = toLoginRequirement(shown);
    if (needed) return redirectTo(this.flow.buildWebAddress(undefined, { ...needed, share: token, ...place }));
    return this.flow.redirectToWebClient(await this.access.openSession(shown, {}, edge!), undefined, place);
  }
}

/** Input the login page requests from a guest, who chooses a password by `guest_password`; undefined when the link suffices. */
function toLoginRequirement({ guest }: ResolvedShare): { login_type: string; login_name?: string } | undefined {
  if (guest.email !== null)
    return { login_type: guest.passwordHash === null ? 'guest_password' : 'guest', login_name: guest.email };
  return guest.passwordHash === null ? undefined : { login_type: 'anonymous_password' };
}
