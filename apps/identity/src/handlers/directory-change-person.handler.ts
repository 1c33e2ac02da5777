import { directory, parseInput, RequestErrors, UserChanges, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { PersonEditor } from '../provisioning/person-editor';
import { UserImages } from '../provisioning/user-images';

/** `changePerson`: other data of the user on whose behalf it is asked, whatever he knew of it. */
@Handles(directory.changePerson)
export class ChangePersonHandler implements Handler<typeof directory.changePerson> {
  constructor(
    private readonly people: PersonEditor,
    private readonly images: UserImages,
  ) {}

  async handle({ principal, query }: CallOf<typeof directory.changePerson>): Promise<boolean> {
    const { user } = principal;
    if (!user) throw RequestErrors.badRequest('a change of a person needs a user');
    const { value, problems } = parseInput(UserChanges, query.changes, 'json');
    const [problem] = problems;
    if (problem) throw RequestErrors.badBodyData(`${problem.name}: ${problem.reason}`);
    const image = (await this.images.fromBase64(query.image)) ?? (value.image1 === undefined ? undefined : null);
    await this.people.changePerson(user, { id: String(user.userId), timestamp: Number.MAX_VALUE }, value, image);
    return true;
  }
}
