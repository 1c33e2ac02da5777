import { conversion, ConversionErrors, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { CardDrafts } from '../conversion/card-drafts';
import { ConvertedContacts } from '../conversion/converted-contacts';
import { ConvertedParts } from '../conversion/converted-parts';
import { DataHandlers } from '../conversion/data-handlers';
import { parseArguments, toShortIdentifier } from '../domain/conversion-arguments';
import { parseSource, type PartKind } from '../domain/data-source';

/** Kinds of data that handlers take. */
const HANDLERS: ReadonlyMap<string, PartKind> = new Map([
  ['ical', 'ical'],
  ['ical.json', 'ical'],
  ['contact', 'vcard'],
  ['contact.json', 'vcard'],
  ['mail.vcard', 'vcard'],
]);

/** `conversion?action=convert`: a part of a mail becomes objects of other modules, or contacts become a mail. */
@Handles(conversion.convert)
export class ConversionConvertHandler implements Handler<typeof conversion.convert> {
  constructor(
    private readonly parts: ConvertedParts,
    private readonly contacts: ConvertedContacts,
    private readonly handlers: DataHandlers,
    private readonly drafts: CardDrafts,
  ) {}

  async handle(call: CallOf<typeof conversion.convert>) {
    const { datasource, datahandler } = call.body;
    const { source, kind } = parseSource(datasource.identifier);
    const wanted = toShortIdentifier(datahandler.identifier);
    const taken = HANDLERS.get(wanted);
    if (taken === undefined) throw ConversionErrors.unknownHandler(datahandler.identifier);
    if (kind !== undefined && taken !== kind) throw ConversionErrors.noMatch(datahandler.identifier);
    const args = parseArguments(datahandler.args);
    const of = parseArguments(datasource.args);
    const bytes =
      source === 'contact' ? await this.contacts.readCards(call, of) : await this.parts.readPart(call, kind, of);
    if (wanted === 'ical.json') return this.handlers.listEvents(call.principal, bytes, args);
    if (wanted === 'contact.json') return this.handlers.listContacts(bytes);
    if (wanted === 'mail.vcard') return [await this.drafts.storeDraft(call, bytes)];
    const { objects, warnings } =
      wanted === 'ical'
        ? await this.handlers.storeCalendar(call.principal, bytes, args)
        : await this.handlers.storeContacts(call.principal, bytes, args);
    return reply(objects, { warnings });
  }
}
