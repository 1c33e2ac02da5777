import { RequestErrors, shareResetPassword, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { GuestResets } from '../guests/guest-resets';

/** Sends a guest who forgot the password a mail. */
@Handles(shareResetPassword.order)
export class OrderPasswordResetHandler implements Handler<typeof shareResetPassword.order> {
  constructor(private readonly resets: GuestResets) {}

  async handle({ query, body, edge }: CallOf<typeof shareResetPassword.order>): Promise<Record<string, never>> {
    const share = body.share ?? query.share;
    if (!share) throw RequestErrors.missingParameter('share');
    await this.resets.orderMail(share, body.target ?? query.target, edge!);
    return {};
  }
}
