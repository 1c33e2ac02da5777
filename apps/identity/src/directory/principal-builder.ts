import { Injectable } from '@nestjs/common';
import {
  APP_PASSWORDS,
  AUTOLOGIN,
  MAIL_CATEGORIES,
  MAIL_SERVER,
  MAIL_SERVER_SOURCE,
  MULTIFACTOR,
  type UserPrincipal,
} from '@groupware/contracts';
import type { Reader } from '@groupware/persistence';
import { resolveCapabilities } from '../domain/capabilities';
import { PropertyRepository } from '../configuration/property.repository';
import { toEffectiveAccess, type UserRow } from '../persistence/user.repository';
import { Cascade, type ScopedValues } from '../configuration/cascade';

/** Everything of a principal but the session. */
export type PrincipalDraft = Omit<UserPrincipal, 'sessionId'>;

/** Builds the principal of a user, which other services receive with each call. */
@Injectable()
export class PrincipalBuilder {
  constructor(
    private readonly properties: PropertyRepository,
    private readonly cascade: Cascade,
  ) {}

  /** The principal of a user who was read. */
  async build(db: Reader, user: UserRow): Promise<PrincipalDraft> {
    return this.toPrincipal(db.contextId, user, await this.properties.getEffective(db, user.id));
  }

  /** The principals of users who were read, in one statement. */
  async buildMany(db: Reader, users: readonly UserRow[]): Promise<PrincipalDraft[]> {
    const values = await this.properties.getEffectiveOfUsers(
      db,
      users.map(({ id }) => id),
    );
    return users.map((user) => this.toPrincipal(db.contextId, user, values.get(user.id)!));
  }

  /** The principal from a user and the values of the cascade. */
  toPrincipal(contextId: number, user: UserRow, properties: ScopedValues): PrincipalDraft {
    return {
      kind: 'user',
      contextId,
      userId: user.id,
      groups: user.groups,
      locale: user.locale,
      timeZone: user.timeZone,
      capabilities: this.toCapabilities(user, properties),
      login: user.name,
      displayName: user.displayName,
      email: user.primaryEmail,
      ...(this.hasMailServer(user, properties) && { hasMailServer: true }),
    };
  }

  private hasMailServer({ imap }: UserRow, properties: ScopedValues): boolean {
    const isOwn = imap !== null && this.cascade.value(MAIL_SERVER_SOURCE, properties) === 'user';
    return isOwn || this.cascade.value(MAIL_SERVER, properties) !== '';
  }

  /** The capabilities of a user. */
  toCapabilities(user: UserRow, properties: ScopedValues): string[] {
    return resolveCapabilities({
      flags: toEffectiveAccess(user).flags,
      added: user.capabilitiesAdded,
      removed: user.capabilitiesRemoved,
      properties: { ...this.cascade.serverCapabilities(), ...properties },
      autologin: this.cascade.value(AUTOLOGIN),
      appPasswords: this.cascade.value(APP_PASSWORDS, properties),
      multifactor: this.cascade.value(MULTIFACTOR, properties),
      mailCategories: this.cascade.value(MAIL_CATEGORIES, properties),
    });
  }
}
