import { contactUsers, RequestErrors, type CallOf, type Handler, type UserContactFigures } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContactRepository } from '../persistence/contact.repository';

/** `figures`: what contacts of users know besides the data of the users. */
@Handles(contactUsers.figures)
export class FiguresHandler implements Handler<typeof contactUsers.figures> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contacts: ContactRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof contactUsers.figures>): Promise<Record<string, UserContactFigures>> {
    const { user } = principal;
    if (!user) throw RequestErrors.badRequest('figures are read for users');
    const found = await this.database.read(user, (db) => this.contacts.listUserFigures(db, user.userId, query.users));
    return Object.fromEntries(found.map(({ userId, ...figures }) => [userId, figures]));
  }
}
