import { conversion, ConversionErrors, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ConvertedParts, type PartKind } from '../conversion/converted-parts';
import { DataHandlers } from '../conversion/data-handlers';
import { parseArguments, toShortIdentifier } from '../domain/conversion-arguments';

const SOURCES: ReadonlyMap<string, PartKind> = new Map([
  ['mail.ical', 'ical'],
  ['mail.vcard', 'vcard'],
]);
/** Kinds of data that handlers take. */
const HANDLERS: ReadonlyMap<string, PartKind> = new Map([
  ['ical', 'ical'],
  ['ical.json', 'ical'],
  ['contact', 'vcard'],
  ['contact.json', 'vcard'],
]);

/** `conversion?action=convert`: a part of a mail becomes objects of other modules. */
@Handles(conversion.convert)
export class ConversionConvertHandler implements Handler<typeof conversion.convert> {
  constructor(
    private readonly parts: ConvertedParts,
    private readonly handlers: DataHandlers,
  ) {}

  async handle(call: CallOf<typeof conversion.convert>) {
    const { datasource, datahandler } = call.body;
    const kind = SOURCES.get(toShortIdentifier(datasource.identifier));
    if (kind === undefined) throw ConversionErrors.unknownSource(datasource.identifier);
    const wanted = toShortIdentifier(datahandler.identifier);
    const taken = HANDLERS.get(wanted);
    if (taken === undefined) throw ConversionErrors.unknownHandler(datahandler.identifier);
    if (taken !== kind) throw ConversionErrors.noMatch(datahandler.identifier);
    const args = parseArguments(datahandler.args);
    const bytes = await this.parts.readPart(call, kind, parseArguments(datasource.args));
    if (wanted === 'ical.json') return this.handlers.listEvents(call.principal, bytes);
    if (wanted === 'contact.json') return this.handlers.listContacts(bytes);
    const { objects, warnings } =
      wanted === 'ical'
        ? await this.handlers.storeCalendar(call.principal, bytes, args)
        : await this.handlers.storeContacts(call.principal, bytes, args);
    return reply(objects, { warnings });
  }
}
