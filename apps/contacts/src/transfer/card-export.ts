import { Injectable } from '@nestjs/common';
import { VCARD_VERSION, type UserPrincipal } from '@groupware/contracts';
import type { Reader } from '@groupware/persistence';
import type { Picture } from '@groupware/pictures';
import { isTurnOver, pauseAfterTurn, Properties, yieldToEventLoop } from '@groupware/service-kit';
import {
  overlayContact,
  readCards,
  writeCard,
  WRITTEN_VERSIONS,
  type Card,
  type CardContact,
  type WrittenVersion,
} from '@groupware/vcard';
import { ListReferences } from '../contacts/list-references';
import { type Contact, type StoredMember, TEXT_FIELDS } from '../domain/contact';
import { ContactCardRepository } from '../persistence/contact-card.repository';
import { ContactPictureRepository } from '../pictures/contact-picture.repository';

/** Pictures in memory at the same time. */
const PICTURES_AT_ONCE = 20;

/** Writes contacts as vCards: the imported one with the present fields laid over it. */
@Injectable()
export class CardExport {
  constructor(
    private readonly references: ListReferences,
    private readonly cards: ContactCardRepository,
    private readonly pictures: ContactPictureRepository,
    private readonly properties: Properties,
  ) {}

  /** The version to write: as asked for, else as configured. */
  async getVersion(user: UserPrincipal, version: string | undefined): Promise<WrittenVersion> {
    const wanted = version ?? (await this.properties.get(VCARD_VERSION, user));
    return WRITTEN_VERSIONS.find((known) => known === wanted) ?? '3.0';
  }

  /** The vCards of contacts, one text per page. */
  async *writeCards(
    db: Reader,
    user: UserPrincipal,
    pages: AsyncIterable<readonly Contact[]> | Iterable<readonly Contact[]>,
    version: WrittenVersion,
  ): AsyncGenerator<string> {
    for await (const page of pages) {
      const lists = page.filter(({ isList }) => isList).map(({ id }) => id);
      const stored = await this.cards.mapByContacts(
        db,
        page.map(({ id }) => id),
      );
      const members = await this.references.mapMembers(db, user, lists);
      const texts: string[] = [];
      let pictures: ReadonlyMap<number, Picture> = new Map();
      for (const [at, contact] of page.entries()) {
        if (isTurnOver()) await yieldToEventLoop();
        if (at % PICTURES_AT_ONCE === 0) pictures = await this.loadPictures(db, page.slice(at, at + PICTURES_AT_ONCE));
        const card = stored.get(contact.id);
        const photo = toPhoto(contact, pictures.get(contact.id));
        const fields = {
          ...toCardContact(contact, members.get(contact.id) ?? []),
          ...(photo !== undefined && { photo }),
        };
        const whole = overlayContact(card === undefined ? undefined : await parseCard(card), fields);
        texts.push(await writeCard(withStamp(whole, contact), version, pauseAfterTurn));
      }
      yield texts.join('');
    }
  }

  private loadPictures(db: Reader, contacts: readonly Contact[]): Promise<ReadonlyMap<number, Picture>> {
    // Pictures of users are with the identity service.
    const pictured = contacts.filter(({ imageType, userId }) => imageType !== null && userId === null);
    return this.pictures.mapByContacts(
      db,
      pictured.map(({ id }) => id),
    );
  }
}

/** The picture for the card of a contact: null where it was removed; undefined leaves what an imported card holds. */
function toPhoto({ imageType, imageChanged }: Contact, picture: Picture | undefined): CardContact['photo'] {
  if (picture) return { bytes: picture.bytes };
  return imageType === null && imageChanged !== null ? null : undefined;
}

/** Identifies the product in files. */
const PRODUCT = '-//Groupware//Contacts//EN';

/** Stored cards were within the limits when they came. */
const UNLIMITED = {
  maxCardBytes: Infinity,
  maxCardLines: Infinity,
  maxCardTextBytes: Infinity,
  maxCardProperties: Infinity,
  pause: pauseAfterTurn,
};

/** A stored card. */
async function parseCard(text: string): Promise<Card | undefined> {
  for await (const { card } of readCards([Buffer.from(text)], UNLIMITED)) return card;
  return undefined;
}

/** A card with the product and the time of the last change. */
function withStamp(card: Card, { lastModified }: Contact): Card {
  const others = card.properties.filter(({ name }) => name !== 'REV' && name !== 'PRODID');
  const rev = `${new Date(lastModified).toISOString().slice(0, 19)}Z`;
  return {
    ...card,
    properties: [
      { name: 'PRODID', parameters: {}, value: PRODUCT },
      ...others,
      { name: 'REV', parameters: {}, value: rev },
    ],
  };
}

function toCardContact(contact: Contact, members: readonly StoredMember[]): CardContact {
  const { categories, uid, birthday, anniversary, color, isPrivate, isList } = contact;
  const texts = Object.fromEntries(
    [
      ...TEXT_FIELDS.map((name) => [name, contact[name]] as const),
      ['categories', categories] as const,
      ['uid', uid] as const,
    ].flatMap(([name, text]) => (text ? [[name, text]] : [])),
  );
  return {
    texts,
    isPrivate,
    ...(birthday !== null && { birthday }),
    ...(anniversary !== null && { anniversary }),
    ...(color !== null && { color }),
    ...(isList && {
      members: members.flatMap(({ mail, displayName }) =>
        mail === null ? [] : [{ mail, ...(displayName !== null && { displayName }) }],
      ),
    }),
  };
}
