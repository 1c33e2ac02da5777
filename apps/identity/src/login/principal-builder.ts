import { Injectable } from '@nestjs/common';
import { APP_PASSWORDS, AUTOLOGIN, MULTIFACTOR, type UserPrincipal } from '@groupware/contracts';
import type { Reader } from '@groupware/persistence';
import { capabilitiesOf } from '../domain/capabilities';
import { PropertyRepository } from '../persistence/property.repository';
import type { UserRow } from '../persistence/user.repository';
import { Cascade, type ScopedValues } from './cascade';

/** Everything of a principal but the session. */
export type PrincipalDraft = Omit<UserPrincipal, 'sessionId'>;

/** Makes the principal of a user: what every other service knows about the caller. */
@Injectable()
export class PrincipalBuilder {
  constructor(
    private readonly properties: PropertyRepository,
    private readonly cascade: Cascade,
  ) {}

  /** The principal of a user who was read. */
  async build(db: Reader, user: UserRow): Promise<PrincipalDraft> {
    return this.of(db.contextId, user, await this.properties.effective(db, user.id));
  }

  /** The principals of users who were read, in one statement. */
  async buildMany(db: Reader, users: readonly UserRow[]): Promise<PrincipalDraft[]> {
    const values = await this.properties.effectiveOf(
      db,
      users.map(({ id }) => id),
    );
    return users.map((user) => this.of(db.contextId, user, values.get(user.id)!));
  }

  /** The principal from a user and the values of the cascade. */
  of(contextId: number, user: UserRow, properties: ScopedValues): PrincipalDraft {
    return {
      kind: 'user',
      contextId,
      userId: user.id,
      groups: user.groups,
      locale: user.locale,
      timeZone: user.timeZone,
      capabilities: this.capabilities(user, properties),
      login: user.name,
      displayName: user.displayName,
      email: user.primaryEmail,
    };
  }

  /** The capabilities of a user. */
  capabilities(user: UserRow, properties: ScopedValues): string[] {
    return capabilitiesOf({
      flags: user.flags,
      added: user.capabilitiesAdded,
      removed: user.capabilitiesRemoved,
      properties: { ...this.cascade.serverCapabilities(), ...properties },
      autologin: this.cascade.value(AUTOLOGIN),
      appPasswords: this.cascade.value(APP_PASSWORDS, properties),
      multifactor: this.cascade.value(MULTIFACTOR, properties),
    });
  }
}
