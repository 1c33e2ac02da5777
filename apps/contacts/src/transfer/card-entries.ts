import { CatalogueError, ImportExportErrors } from '@groupware/contracts';
import type { Picture } from '@groupware/pictures';
import { pauseAfterTurn } from '@groupware/service-kit';
import {
  CARD_TEXT_FIELDS,
  hasClass,
  readCards,
  readContact,
  writeCard,
  type CardReadOptions,
  type ReadCard,
} from '@groupware/vcard';
import type { ContentRules } from '../domain/contact-input';
import { toImportedContent, toImportedMembers, type EntryProblems } from './import-content';
import type { ImportEntry } from './import-entry';

/** How vCards are imported. */
export interface CardRules extends ContentRules {
  /** Undefined: found out. */
  readonly charset?: string;
  readonly limits: Omit<CardReadOptions, 'charset' | 'pause'>;
  /** Whether the card is kept. */
  readonly storeCards: boolean;
  /** Makes a picture of the bytes of a card. Rejects with a catalogue error what is none. */
  readonly acceptPicture: (bytes: Uint8Array) => Promise<Picture>;
}

/** Reads vCards as entries of an import. */
export async function* readCardEntries(
  source: AsyncIterable<Uint8Array>,
  rules: CardRules,
): AsyncGenerator<ImportEntry> {
  const cards = readCards(source, {
    ...(rules.charset !== undefined && { charset: rules.charset }),
    ...rules.limits,
    pause: pauseAfterTurn,
  });
  for await (const read of cards) yield await toEntry(read, rules);
}

async function toEntry(
  { index, line, card, error, warnings: found }: ReadCard,
  rules: CardRules,
): Promise<ImportEntry> {
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
      // A card that does not say who may see its contact publishes none.
      ...(hasClass(card) && { private_flag: contact.isPrivate }),
    };
    const members = contact.members && toImportedMembers(contact.members, rules, { warnings, fields });
    const content = toImportedContent(body, rules, { warnings, fields });
    const picture = contact.photo && (await readPicture(contact.photo.bytes, rules, { warnings, fields }));
    return {
      index,
      line,
      contact: {
        content,
        ...(uid && uid.length <= 1_024 && { uid }),
        ...(members && { members }),
        ...(picture && { picture }),
        ...(rules.storeCards && { card: await writeCard(card, '4.0', pauseAfterTurn) }),
      },
      warnings,
      ...(fields.length > 0 && { fields }),
    };
  } catch (refusal) {
    if (!(refusal instanceof CatalogueError)) throw refusal;
    return { index, line, warnings, error: refusal };
  }
}

/** The picture of a card; one that is not accepted is left out with a warning. */
async function readPicture(
  bytes: Uint8Array,
  { acceptPicture }: CardRules,
  { warnings, fields }: EntryProblems,
): Promise<Picture | undefined> {
  try {
    return await acceptPicture(bytes);
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    warnings.push(ImportExportErrors.invalidValue('image1', error.message));
    fields.push('image1');
    return undefined;
  }
}
