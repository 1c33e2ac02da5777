import { parseInput, reply, RequestErrors, user, UserChanges, type CallOf, type Handler } from '@groupware/contracts';
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
    const changes = parseChanges(body.json ?? '{}');
    const image = await this.images.fromFile(file);
    return reply(null, { timestamp: await this.people.changePerson(principal, query, changes, image) });
  }
}

/** The changes in a form field. @throws SVL-0029, SVL-0028, SVL-0031 */
function parseChanges(text: string): UserChanges {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw RequestErrors.brokenJson();
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw RequestErrors.wrongBodyType('a JSON object', 'another value');
  const { value, problems } = parseInput(UserChanges, json, 'json');
  const [problem] = problems;
  if (problem) throw RequestErrors.badBodyData(`${problem.name}: ${problem.reason}`);
  return value;
}
