import {
  findFormJson,
  parseFormJson,
  reply,
  RequestErrors,
  user,
  UserChanges,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { PersonEditor } from '../provisioning/person-editor';
import { UserImages } from '../provisioning/user-images';

/** Changes the data of a person together with the picture. */
@Handles(user.updateWithImage)
export class UserUpdateWithImageHandler implements Handler<typeof user.updateWithImage> {
  constructor(
    private readonly people: PersonEditor,
    private readonly images: UserImages,
  ) {}

  async handle({ principal, query, body, files }: CallOf<typeof user.updateWithImage>) {
    const [file] = files;
    if (!file) throw RequestErrors.missingParameter('file');
    const changes = parseFormJson(UserChanges, findFormJson(body) ?? '{}', 'json');
    const image = await this.images.fromFile(file);
    return reply(null, { timestamp: await this.people.changePerson(principal, query, changes, image) });
  }
}
