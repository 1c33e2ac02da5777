import { CatalogueError, ImportExportErrors } from '@groupware/contracts';
import { isTurnOver, yieldToEventLoop } from '@groupware/service-kit';
import { CARD_TEXT_FIELDS, readCards, readContact, writeCard, type ReadCard } from '@groupware/vcard';
import type { ContentRules } from '../domain/contact-input';
import { toImportedContent, toImportedMembers } from './import-content';
import type { ImportEntry } from './import-entry';

/** How vCards are imported. */
export interface CardRules extends ContentRules {
  /** Undefined: found out. */
  readonly charset?: string;
  readonly maxCardBytes: number;
  /** Whether the card is kept. */
  readonly storeCards: boolean;
}

/** Reads vCards as entries of an import. */
export async function* readCardEntries(
  source: AsyncIterable<Uint8Array>,
  rules: CardRules,
): AsyncGenerator<ImportEntry> {
  const cards = readCards(source, {
    ...(rules.charset !== undefined && { charset: rules.charset }),
    maxCardBytes: rules.maxCardBytes,
    pause: () => (isTurnOver() ? yieldToEventLoop() : undefined),
  });
  for await (const read of cards) yield toEntry(read, rules);
}

function toEntry({ index, line, card, error, warnings: found }: ReadCard, rules: CardRules): ImportEntry {
  if (!card) return { index, line, warnings: [], error: ImportExportErrors.cardNotReadable(error!.message) };
  const { contact, warnings: more } = readContact(card);
  const warnings = [...found, ...more].map(({ field, message }) =>
    ImportExportErrors.invalidValue(field ?? 'vCard', message),
  );
  const fields = more.flatMap(({ field }) => field ?? []);
  try {
    const { uid, ...texts } = contact.texts;
    const body: Record<string, unknown> = {
      ...Object.fromEntries(CARD_TEXT_FIELDS.map((name) => [name, texts[name] ?? null])),
      birthday: contact.birthday ?? null,
      anniversary: contact.anniversary ?? null,
      color_label: contact.color ?? null,
      private_flag: contact.isPrivate,
    };
    const members = contact.members && toImportedMembers(contact.members);
    return {
      index,
      line,
      contact: {
        content: toImportedContent(body, rules, { warnings, fields }),
        ...(uid && uid.length <= 1_024 && { uid }),
        ...(members && { members }),
        ...(rules.storeCards && { card: writeCard(card, '4.0') }),
      },
      warnings,
      ...(fields.length > 0 && { fields }),
    };
  } catch (refusal) {
    if (!(refusal instanceof CatalogueError)) throw refusal;
    return { index, line, warnings, error: refusal };
  }
}
