import { share, ShareErrors, sharePath, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { GuestAccess, type ShownShare } from '../guests/guest-access';
import { leadTo } from '../login/bare-replies';
import { LoginFlow } from '../login/login-flow';
import { refusal } from '../login/refusal';

/** Opens a link: the session of an earlier visit, a new one, or the login page where more is needed. */
@Handles(share.open)
export class OpenShareHandler implements Handler<typeof share.open> {
  constructor(
    private readonly access: GuestAccess,
    private readonly flow: LoginFlow,
  ) {}

  async handle({ query, edge }: CallOf<typeof share.open>) {
    const [token = '', path] = (query.path ?? '').split('/');
    const shown = await this.access.shown(token);
    if (!shown) return refusal<undefined>(ShareErrors.notFound(), edge!, [], { status: 404 });
    const wanted = shown.folders.find(({ folder }) => sharePath(folder) === path) ?? shown.folders[0]!;
    const place = { m: wanted.module, f: String(wanted.folder) };
    const resumed = await this.access.resumed(shown, edge!);
    if (resumed) return this.flow.redirect(resumed, undefined, place);
    const needed = needs(shown);
    if (needed) return leadTo(this.flow.webAddress(undefined, { ...needed, share: token, ...place }));
    return this.flow.redirect(await this.access.open(shown, {}, edge!), undefined, place);
  }
}

/** What the login page asks a guest for; undefined when the link is enough. */
function needs({ guest }: ShownShare): { login_type: string; login_name?: string } | undefined {
  if (guest.email !== null)
    return { login_type: guest.passwordHash === null ? 'guest' : 'guest_password', login_name: guest.email };
  return guest.passwordHash === null ? undefined : { login_type: 'anonymous_password' };
}
