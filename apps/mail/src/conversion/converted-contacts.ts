import {
  contactExport,
  ConversionErrors,
  ExportReference,
  MAX_CONVERTED_BYTES,
  opensToApp,
  parseInput,
  RequestErrors,
  type UserRequest,
} from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { Caller } from '@groupware/messaging';
import { Logger, Properties } from '@groupware/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { requireArgument } from '../domain/conversion-arguments';
import { gatherBytes } from './converted-bytes';

const log = Logger.for('mail');

const PAIRS = 'contact.pairs';
/** Most contacts of one conversion. */
const MAX_CONTACTS = 100;

/** Reads contacts that are converted, as vCards. The contacts service checks the rights of the user. */
@Injectable()
export class ConvertedContacts {
  constructor(
    private readonly caller: Caller,
    private readonly properties: Properties,
    @Inject(FILES) private readonly store: FileStore,
  ) {}

  /** The vCards of the contacts that arguments name. @throws CNV-0001, CNV-0002, CNV-0007, SVL-0016, and what exports throw */
  async readCards(request: UserRequest, args: ReadonlyMap<string, string>): Promise<Buffer> {
    return this.readContacts(request, parsePairs(requireArgument(args, PAIRS)));
  }

  /** The vCards of contacts. @throws CNV-0007, SVL-0016, and what exports throw */
  async readContacts(request: UserRequest, body: ExportReference[]): Promise<Buffer> {
    const { principal, deadline, requestId, signal } = request;
    const { capabilities, appScopes, contextId } = principal;
    if (!capabilities.includes('contacts') || (appScopes && !opensToApp(contactExport.VCARDObjects, appScopes)))
      throw RequestErrors.noModulePermission('contacts');
    const { file } = await this.caller.request(contactExport.VCARDObjects, {
      ...{ principal, deadline, requestId, signal },
      query: {},
      body,
    });
    if (!file) throw ConversionErrors.noMatch('com.example.contact');
    const maxBytes = await this.properties.get(MAX_CONVERTED_BYTES, { contextId });
    try {
      return await gatherBytes(this.store.read(file.reference), maxBytes);
    } finally {
      await this.store
        .discard(file.reference)
        .catch((error: unknown) =>
          log.warn(
            { requestId, context: contextId, user: principal.userId, cause: String(error) },
            'the file of converted contacts stays until the sweep of the store',
          ),
        );
    }
  }
}

/** Contacts by folder and id: `[{"folder": "31", "id": "7"}]` as JSON. @throws CNV-0002 */
function parsePairs(text: string): ExportReference[] {
  const refuse = (reason: string) => ConversionErrors.badArgument(`com.example.${PAIRS}`, reason);
  let pairs: unknown;
  try {
    pairs = JSON.parse(text);
  } catch {
    throw refuse('no JSON');
  }
  if (!Array.isArray(pairs) || pairs.length === 0) throw refuse('no list of contacts');
  if (pairs.length > MAX_CONTACTS) throw refuse(`more than ${MAX_CONTACTS} contacts`);
  return pairs.map((pair: unknown) => {
    if (typeof pair !== 'object' || pair === null) throw refuse('no list of contacts');
    const { id, folder, folder_id = folder } = pair as Record<string, unknown>;
    const { value, problems } = parseInput(ExportReference, { id, folder_id }, 'json');
    if (problems.length > 0) throw refuse('no id and folder');
    return value;
  });
}
