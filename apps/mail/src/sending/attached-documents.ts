import {
  infostore,
  MailErrors,
  MAX_MAIL_DOCUMENTS,
  opensToApp,
  RequestErrors,
  type UserRequest,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import type { OutgoingFile } from './outgoing-files';

/** Documents of users as files of their mails. The files service decides who may read them. */
@Injectable()
export class AttachedDocuments {
  constructor(
    private readonly caller: Caller,
    private readonly properties: Properties,
  ) {}

  /**
   * Finds documents; their bytes stay where they are.
   * @throws MSG-0080 for too many, SVL-0016 for who may not use files, and what reading a document throws
   */
  async findDocuments(request: UserRequest, ids: readonly string[]): Promise<OutgoingFile[]> {
    if (ids.length === 0) return [];
    const { principal } = request;
    const { capabilities, appScopes } = principal;
    // Scopes of mails open no files.
    if (!capabilities.includes('infostore') || (appScopes && !opensToApp(infostore.document, appScopes)))
      throw RequestErrors.noModulePermission('infostore');
    const most = await this.properties.get(MAX_MAIL_DOCUMENTS, principal);
    if (ids.length > most) throw MailErrors.tooManyForwards(most);
    const found: OutgoingFile[] = [];
    for (const id of ids) found.push(await this.findDocument(request, id));
    return found;
  }

  private async findDocument(request: UserRequest, id: string): Promise<OutgoingFile> {
    const { principal, deadline, requestId, signal } = request;
    // Saved documents have no type, and shown texts that of plain text.
    const query = { id, delivery: 'view', content_disposition: 'attachment' };
    const { file } = await this.caller.request(infostore.document, { principal, deadline, requestId, signal, query });
    if (!file || file.sizeBytes === undefined) throw MailErrors.processingFailed(id);
    const { name, contentType: type, reference, sizeBytes } = file;
    return { name: name || 'file', type, reference, sizeBytes };
  }
}
