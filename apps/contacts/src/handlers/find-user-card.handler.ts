import {
  ContactErrors,
  contactIdOfUser,
  RequestErrors,
  userCards,
  type CallOf,
  type Handler,
  type UserCard,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContactRepository } from '../persistence/contact.repository';
import { CardExport } from '../transfer/card-export';
import { UserContactReader } from '../users/user-contact-reader';

/** The vCard of the user who asks. */
@Handles(userCards.find)
export class FindUserCardHandler implements Handler<typeof userCards.find> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserContactReader,
    private readonly contacts: ContactRepository,
    private readonly cards: CardExport,
  ) {}

  async handle({ principal }: CallOf<typeof userCards.find>): Promise<UserCard> {
    const { user } = principal;
    if (!user) throw RequestErrors.badRequest('cards belong to users');
    const { userId, contextId } = user;
    await this.users.ensureContacts(user, [userId]);
    const version = await this.cards.getVersion(user, undefined);
    return this.database.read(user, async (db) => {
      const contact = await this.contacts.findById(db, contactIdOfUser(userId));
      if (!contact || contact.userId !== userId) throw ContactErrors.notFound(userId, contextId);
      const texts: string[] = [];
      for await (const text of this.cards.writeCards(db, user, [[contact]], version)) texts.push(text);
      return { name: contact.display_name ?? `User ${userId}`, card: texts.join('') };
    });
  }
}
