import {
  CatalogueError,
  ContactErrors,
  ImportExportErrors,
  MAX_LIST_MEMBERS,
  type ContactData,
} from '@groupware/contracts';
import { isTurnOver, yieldToEventLoop } from '@groupware/service-kit';
import {
  CARD_TEXT_FIELDS,
  readCards,
  readContact,
  withoutPhoto,
  writeCard,
  type CardContact,
  type ReadCard,
} from '@groupware/vcard';
import { MAIL_FIELDS, type StoredMember } from '../domain/contact';
import { parseContent, type ContentRules } from '../domain/contact-input';
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
    for (const name of MAIL_FIELDS) {
      if (isAcceptable(body[name], name, rules)) continue;
      warnings.push(ImportExportErrors.invalidValue(name, String(body[name])));
      fields.push(name);
      body[name] = null;
    }
    const members = contact.members && toMembers(contact.members);
    return {
      index,
      line,
      contact: {
        content: parseContent(body, rules),
        ...(uid && uid.length <= 1_024 && { uid }),
        ...(members && { members }),
        ...(rules.storeCards && { card: writeCard(withoutPhoto(card), '4.0') }),
      },
      warnings,
      ...(fields.length > 0 && { fields }),
    };
  } catch (refusal) {
    if (!(refusal instanceof CatalogueError)) throw refusal;
    return { index, line, warnings, error: refusal };
  }
}

function isAcceptable(text: unknown, name: string, rules: ContentRules): boolean {
  if (typeof text !== 'string') return true;
  try {
    parseContent({ [name]: text }, rules);
    return true;
  } catch (error) {
    if (error instanceof CatalogueError && error.is(ContactErrors.badAddress)) return false;
    throw error;
  }
}

/** @throws I_E-1310 for more members than a list may have */
function toMembers(members: NonNullable<CardContact['members']>): StoredMember[] {
  if (members.length > MAX_LIST_MEMBERS) throw ImportExportErrors.refused(`more than ${MAX_LIST_MEMBERS} members`);
  return members.map(({ mail, displayName }) => ({
    mailField: 0,
    contactId: null,
    mail,
    displayName: displayName ?? null,
    firstName: null,
    lastName: null,
  }));
}
