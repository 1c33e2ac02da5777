import {
  DocumentData,
  fieldsOf,
  guests,
  infostore,
  mail,
  MailErrors,
  RequestErrors,
  type CallOf,
  type Handler,
  type MailShareReference,
  type UserPrincipal,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Handles } from '@groupware/service-kit';
import { parseShareReference } from '../domain/share-reference';

/** What is told of the files. */
const COLUMNS = fieldsOf(DocumentData).flatMap(({ column, wireName }) =>
  [1, 20, 6, 700, 702, 703, 704, 705, 708].includes(column ?? 0) ? [{ column: String(column), wireName }] : [],
);

/**
 * `resolve_share_reference`: the files that went with a mail as a link. The sender alone is told, with the rights of the moment:
 * whoever else has the mail has its link.
 */
@Handles(mail.resolve_share_reference)
export class ResolveShareReferenceHandler implements Handler<typeof mail.resolve_share_reference> {
  constructor(private readonly caller: Caller) {}

  async handle({
    principal,
    body,
    deadline,
    requestId,
    signal,
  }: CallOf<typeof mail.resolve_share_reference>): Promise<MailShareReference> {
    const { folder, ...reference } = parseShareReference(body.reference);
    if (reference.contextId !== principal.contextId || reference.userId !== principal.userId)
      throw MailErrors.notPermitted('the files are those of another user');
    if (!principal.capabilities.includes('infostore')) throw RequestErrors.noModulePermission('infostore');
    const rows = await this.caller.call(infostore.all, {
      ...{ principal, deadline, requestId, signal },
      query: { folder, columns: COLUMNS.map(({ column }) => column), sort: '702', order: 'asc' },
    });
    const files = rows.map(
      (row) =>
        Object.fromEntries(COLUMNS.map(({ wireName }, index) => [wireName, row[index] ?? undefined])) as DocumentData,
    );
    return { ...reference, files, ...(await this.findPin(principal, folder, reference.shareToken)) };
  }

  /** The pin of the link of a folder, for the user who made it; the reference may be anything. */
  private async findPin(user: UserPrincipal, folder: string, token: string): Promise<{ password?: string }> {
    const principal = { kind: 'internal', service: 'mail', contextId: user.contextId, user } as const;
    const query = { module: 'infostore', folder: Number(folder) };
    const link = await this.caller.call(guests.link, { principal, query });
    return link?.password !== undefined && link.createdBy === user.userId && link.token === token
      ? { password: link.password }
      : {};
  }
}
