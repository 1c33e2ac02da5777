import { passwordchange, ProvisioningErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Clock, Handles } from '@groupware/service-kit';
import { parseInvitationToken } from '../domain/invitation-token';
import { checkPassword } from '../domain/password-policy';
import { Passwords } from '../domain/passwords';
import { PasswordPolicies } from '../configuration/password-policies';
import { InvitationRepository } from '../persistence/invitation.repository';
import { PropertyRepository } from '../configuration/property.repository';
import { UserEditor } from '../provisioning/user-editor';

/** Sets the password of an invited user. */
@Handles(passwordchange.redeem)
export class PasswordRedeemHandler implements Handler<typeof passwordchange.redeem> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly invitations: InvitationRepository,
    private readonly properties: PropertyRepository,
    private readonly editor: UserEditor,
    private readonly passwords: Passwords,
    private readonly rules: PasswordPolicies,
    private readonly clock: Clock,
  ) {}

  async handle({ body, edge }: CallOf<typeof passwordchange.redeem>) {
    const invitation = parseInvitationToken(body.token);
    if (!invitation) throw ProvisioningErrors.unknownInvitation();
    const userOf = async (tx: Transaction): Promise<number> => {
      const userId = await this.invitations.lockUserByDigest(tx, invitation.digest, this.clock.now());
      if (userId === undefined) throw ProvisioningErrors.unknownInvitation();
      return userId;
    };
    // Hashing stays outside of transactions, and only after the token was checked.
    const scoped = await this.database.transact(invitation, async (tx) =>
      this.properties.getEffective(tx, await userOf(tx)),
    );
    await checkPassword(body.new_password, this.rules.resolvePolicy(scoped));
    const hash = await this.passwords.hash(body.new_password);
    await this.database.transact(invitation, async (tx) => {
      const userId = await userOf(tx);
      await this.editor.setPassword(tx, userId, hash, false, {
        name: 'invitation',
        userId,
        seesAllContexts: false,
        client: 'invitation',
        address: edge!.remoteAddress,
      });
    });
    return undefined;
  }
}
